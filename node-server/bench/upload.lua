-- Uploads one file of a fixed size again and again. Arguments: the size in bytes.
function init(args)
  local boundary = "----uploadlabfrontier0123456789"
  math.randomseed(20161120)
  local bytes = {}
  for i = 1, tonumber(args[1]) do bytes[i] = string.char(math.random(0, 255)) end
  local body = "--" .. boundary .. "\r\nContent-Disposition: form-data; name=\"avatar\"; filename=\"photo.jpg\"\r\n"
    .. "Content-Type: image/jpeg\r\n\r\n" .. table.concat(bytes) .. "\r\n--" .. boundary .. "--\r\n"
  request_bytes = wrk.format("POST", "/getimages", {
    ["Host"] = "127.0.0.1", ["Content-Type"] = "multipart/form-data; boundary=" .. boundary
  }, body)
end

function request()
  return request_bytes
end

function done(summary)
  io.write(string.format("RESULT %d %d %d\n", summary.requests,
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    summary.duration))
end
