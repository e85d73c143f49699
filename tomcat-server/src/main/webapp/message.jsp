<%@ page contentType="text/html; charset=utf-8" pageEncoding="utf-8" session="false" %><!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Images received</title>
<style>
body { margin: 3rem auto; max-width: 36rem; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; color: #222; }
h1 { font-size: 1.5rem; }
form { padding: 1rem; border: 1px solid #bbb; border-radius: 0.25rem; }
label, input, button { display: block; margin: 0.5rem 0; font: inherit; }
</style>
</head>
<body>
<main>
<h1>Images received</h1>
<p>Every image of your request has been stored completely, byte for byte, under a new name.</p>
<p>One request carries one or two images. Other text fields are allowed and ignored.</p>
<form action="/getimages" method="post" enctype="multipart/form-data">
<label for="avatar">Send one or two more images</label>
<input id="avatar" name="avatar" type="file" accept="image/*" multiple required>
<button type="submit">Send</button>
</form>
</main>
</body>
</html>
