// https://docs.nestjs.com/techniques/file-upload (read 2026-11-27): FileInterceptor and UploadedFile, with multer's disk storage as the page
// names it. Added: names by UUID, a request without a file is refused.
import 'reflect-metadata'
import { randomUUID } from 'node:crypto'
import { BadRequestException, Controller, HttpCode, Module, Post, UploadedFile, UseInterceptors } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FileInterceptor, NestExpressApplication } from '@nestjs/platform-express'
import { diskStorage } from 'multer'

const { HOST = '127.0.0.1', PORT = '8080', UPLOAD_DIR = '.', BACKLOG = '511', KEEP_ALIVE_TIMEOUT_MS = '60000' } = process.env
const storage = diskStorage({ destination: UPLOAD_DIR, filename: (req, file, done) => done(null, randomUUID()) })

@Controller()
class UploadController {
  @Post('upload')
  @HttpCode(200)
  @UseInterceptors(FileInterceptor('file', { storage, limits: { fileSize: 200 * 1024 * 1024 } }))
  uploadFile (@UploadedFile() file?: Express.Multer.File) {
    if (!file) throw new BadRequestException('no file')
    return { stored: 1 }
  }
}

@Module({ controllers: [UploadController] })
class AppModule {}

const app = await NestFactory.create<NestExpressApplication>(AppModule, { logger: ['error', 'warn'] })
app.enableShutdownHooks()
await app.init()
const server = app.getHttpServer()
server.keepAliveTimeout = Number(KEEP_ALIVE_TIMEOUT_MS)
server.listen({ host: HOST, port: Number(PORT), backlog: Number(BACKLOG) })
process.on('SIGTERM', () => setTimeout(() => server.closeAllConnections(), 5000).unref())
