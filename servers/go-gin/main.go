// https://gin-gonic.com/en/docs/examples/upload-file/single-file/ (read 2026-11-27): FormFile and SaveUploadedFile. Added: a random name.
package main

import (
	"crypto/rand"
	"net/http"
	"os"
	"path/filepath"

	"github.com/gin-gonic/gin"
)

func main() {
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	router.Use(gin.Recovery())
	router.MaxMultipartMemory = 8 << 20 // 8 MiB
	router.POST("/upload", func(c *gin.Context) {
		file, err := c.FormFile("file")
		if err != nil {
			c.String(http.StatusBadRequest, err.Error())
			return
		}
		path := filepath.Join(os.Getenv("UPLOAD_DIR"), rand.Text())
		if err := c.SaveUploadedFile(file, path); err != nil {
			os.Remove(path)
			c.String(http.StatusInternalServerError, err.Error())
			return
		}
		c.String(http.StatusOK, "stored")
	})
	router.Run(os.Getenv("HOST") + ":" + os.Getenv("PORT"))
}
