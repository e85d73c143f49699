// Sends a form with Go's net/http, in chunks: upload.go URL COMMENT ANSWER_FILE FILE...; prints the status.
package main

import (
	"fmt"
	"io"
	"log"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
)

func write(form *multipart.Writer, comment string, files []string) error {
	if err := form.WriteField("comment", comment); err != nil {
		return err
	}
	for _, path := range files {
		part, err := form.CreateFormFile("avatar", filepath.Base(path))
		if err != nil {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		if _, err = io.Copy(part, file); err != nil {
			return err
		}
		file.Close()
	}
	return form.Close()
}

func main() {
	url, comment, answerFile, files := os.Args[1], os.Args[2], os.Args[3], os.Args[4:]
	reader, writer := io.Pipe()
	form := multipart.NewWriter(writer)
	go func() { writer.CloseWithError(write(form, comment, files)) }()
	answer, err := http.Post(url, form.FormDataContentType(), reader)
	if err != nil {
		log.Fatal(err)
	}
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(answerFile, body, 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.StatusCode)
}
