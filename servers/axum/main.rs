// https://github.com/tokio-rs/axum/blob/main/examples/stream-to-file/src/main.rs (read 2026-11-27): each field is streamed to a file.
// Added: names by UUID, what fails is removed, a request without a file is refused, the end on SIGTERM.
use axum::{extract::DefaultBodyLimit, extract::Multipart, http::StatusCode, routing::post, Router};
use futures_util::TryStreamExt;
use std::{env, io, path::Path};
use tokio::{fs::File, io::AsyncWriteExt, io::BufWriter, net::TcpListener, signal::unix};
use tokio_util::io::StreamReader;

type Refused = (StatusCode, String);

async fn accept_form(mut multipart: Multipart) -> Result<&'static str, Refused> {
    let mut stored = 0;
    while let Some(field) = multipart.next_field().await.map_err(|err| (err.status(), err.body_text()))? {
        if field.file_name().is_none() {
            continue;
        }
        let path = Path::new(&env::var("UPLOAD_DIR").unwrap()).join(uuid::Uuid::new_v4().to_string());
        let body = field.map_err(|err| io::Error::new(io::ErrorKind::InvalidData, err));
        if let Err(err) = stream_to_file(&path, StreamReader::new(body)).await {
            let _ = tokio::fs::remove_file(&path).await;
            let cut = err.kind() == io::ErrorKind::InvalidData;
            let status = if cut { StatusCode::BAD_REQUEST } else { StatusCode::INTERNAL_SERVER_ERROR };
            return Err((status, err.to_string()));
        }
        stored += 1;
    }
    match stored {
        0 => Err((StatusCode::BAD_REQUEST, "no file".to_owned())),
        _ => Ok("stored"),
    }
}

async fn stream_to_file(path: &Path, body: impl tokio::io::AsyncRead) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(path).await?);
    tokio::pin!(body);
    tokio::io::copy(&mut body, &mut file).await?;
    file.flush().await
}

#[tokio::main]
async fn main() {
    let limit = DefaultBodyLimit::max(230 << 20);
    let app = Router::new().route("/upload", post(accept_form)).layer(limit);
    let address = format!("{}:{}", env::var("HOST").unwrap(), env::var("PORT").unwrap());
    let listener = TcpListener::bind(address).await.unwrap();
    let mut end = unix::signal(unix::SignalKind::terminate()).unwrap();
    axum::serve(listener, app).with_graceful_shutdown(async move { end.recv().await.unwrap() }).await.unwrap();
}
