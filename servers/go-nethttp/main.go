// Request.MultipartReader and io.Copy as https://pkg.go.dev/net/http#Request.MultipartReader and
// https://pkg.go.dev/mime/multipart#example-NewReader have them (read 2026-11-27). Added: names by random text, and what fails is removed.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

var folder = os.Getenv("UPLOAD_DIR")

func store(part io.Reader) error {
	path := filepath.Join(folder, rand.Text())
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err = io.Copy(file, part); err == nil {
		return file.Close()
	}
	file.Close()
	os.Remove(path)
	return err
}

func upload(w http.ResponseWriter, r *http.Request) {
	reader, err := r.MultipartReader()
	stored := 0
	for err == nil {
		part, next := reader.NextPart()
		if err = next; err == nil && part.FileName() != "" {
			err = store(part)
			stored++
		}
	}
	if err != io.EOF || stored == 0 {
		status := http.StatusBadRequest
		if errors.As(err, new(*os.PathError)) { // it could not be stored
			status = http.StatusInternalServerError
		}
		http.Error(w, err.Error(), status)
		return
	}
	io.WriteString(w, "stored\n")
}

func main() {
	http.HandleFunc("POST /upload", upload)
	server := &http.Server{Addr: os.Getenv("HOST") + ":" + os.Getenv("PORT")}
	stop, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	context.AfterFunc(stop, func() { server.Shutdown(context.Background()) })
	log.Println(server.ListenAndServe())
}
