// https://github.com/actix/examples/blob/main/forms/multipart/src/main.rs (read 2026-11-27): MultipartForm with a TempFile, persisted.
// Added: a name by UUID, a request without a file is refused, the limits.
use actix_multipart::form::{tempfile::TempFile, tempfile::TempFileConfig, MultipartForm, MultipartFormConfig};
use actix_web::{error::ErrorInternalServerError, web, App, Error, HttpServer};
use std::{env, path::Path};

#[derive(MultipartForm)]
struct UploadForm {
    #[multipart(limit = "200 MiB")]
    file: TempFile,
}

async fn save_file(MultipartForm(form): MultipartForm<UploadForm>) -> Result<&'static str, Error> {
    let path = Path::new(&env::var("UPLOAD_DIR").unwrap()).join(uuid::Uuid::new_v4().to_string());
    form.file.file.persist(path).map_err(ErrorInternalServerError)?;
    Ok("stored")
}

#[actix_web::main]
async fn main() -> std::io::Result<()> {
    let folder = env::var("UPLOAD_DIR").unwrap();
    let port = env::var("PORT").unwrap().parse().unwrap();
    HttpServer::new(move || {
        App::new()
            .app_data(TempFileConfig::default().directory(&folder))
            .app_data(MultipartFormConfig::default().total_limit(230 << 20))
            .route("/upload", web::post().to(save_file))
    })
    .bind((env::var("HOST").unwrap(), port))?
    .run()
    .await
}
