// As the documentation of net/http writes it: FormFile, copied into a file.
package main

import (
	"io"
	"net/http"
	"os"
)

func upload(w http.ResponseWriter, r *http.Request) {
	file, _, err := r.FormFile("file")
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	defer file.Close()
	target, err := os.CreateTemp(os.Getenv("UPLOAD_DIR"), "upload-*")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer target.Close()
	if _, err := io.Copy(target, file); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.WriteHeader(http.StatusCreated)
}

func main() {
	http.HandleFunc("POST /api/files", upload)
	http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil)
}
