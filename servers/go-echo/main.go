// https://echo.labstack.com/docs/cookbook/file-upload (read 2026-11-27): FormFile and io.Copy. Added: a random name.
package main

import (
	"crypto/rand"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/labstack/echo/v4"
)

func upload(c echo.Context) error {
	file, err := c.FormFile("file")
	if err != nil {
		return echo.NewHTTPError(http.StatusBadRequest, err.Error())
	}
	src, err := file.Open()
	if err != nil {
		return err
	}
	defer src.Close()

	path := filepath.Join(os.Getenv("UPLOAD_DIR"), rand.Text())
	dst, err := os.Create(path)
	if err != nil {
		return err
	}
	defer dst.Close()

	if _, err = io.Copy(dst, src); err != nil {
		os.Remove(path)
		return err
	}
	return c.String(http.StatusOK, "stored")
}

func main() {
	e := echo.New()
	e.HideBanner = true
	e.POST("/upload", upload)
	e.Logger.Fatal(e.Start(os.Getenv("HOST") + ":" + os.Getenv("PORT")))
}
