<?php
// https://www.php.net/manual/en/features.file-upload.post-method.php (read 2026-11-27): move_uploaded_file. Added: a random name.
$file = $_FILES['file'] ?? null;
if ($file === null || !is_uploaded_file($file['tmp_name'])) {
    http_response_code(400);
    exit('no file');
}
$stored = getenv('UPLOAD_DIR') . '/' . bin2hex(random_bytes(16));
if (!move_uploaded_file($file['tmp_name'], $stored)) {
    http_response_code(500);
    exit('not stored');
}
echo 'stored';
