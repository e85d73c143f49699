// A floor as Go's standard library makes one: its HTTP server, its multipart reader, one file.
package main

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
)

const bufferBytes = 64 * 1024

func main() {
	if os.Args[1] == "versions" {
		fmt.Printf("{\"Go\": %q}\n", runtime.Version())
		return
	}
	page, err := os.ReadFile(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	parse := os.Args[1] == "parse"
	http.HandleFunc("/health", func(http.ResponseWriter, *http.Request) {})
	http.HandleFunc("/getimages", func(answer http.ResponseWriter, request *http.Request) {
		if err := store(request, parse); err != nil {
			http.Error(answer, err.Error(), http.StatusInternalServerError)
			return
		}
		answer.Header().Set("Content-Type", "text/html; charset=utf-8")
		answer.Header().Set("Content-Length", strconv.Itoa(len(page)))
		answer.Write(page)
	})
	log.Fatal(http.ListenAndServe(os.Getenv("HOST")+":"+os.Getenv("PORT"), nil))
}

func store(request *http.Request, parse bool) error {
	var content io.Reader = request.Body
	if parse {
		form, err := request.MultipartReader()
		if err != nil {
			return err
		}
		if content, err = form.NextPart(); err != nil {
			return err
		}
	}
	name := make([]byte, 16)
	if _, err := rand.Read(name); err != nil {
		return err
	}
	path := filepath.Join(os.Getenv("UPLOAD_DIR"), hex.EncodeToString(name))
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	// Bare reader and writer: with their shortcuts io.CopyBuffer would take smaller buffers of their own.
	_, err = io.CopyBuffer(struct{ io.Writer }{file}, struct{ io.Reader }{content}, make([]byte, bufferBytes))
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}
