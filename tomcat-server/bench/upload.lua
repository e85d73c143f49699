-- wrk uploads one file of SIZE_BYTES bytes again and again, and prints how often it did.
local size = tonumber(os.getenv("SIZE_BYTES"))
local boundary = "------------------------4f9c1d2e7a6b8305"

local function noise(bytes)
  math.randomseed(20161120)
  local pieces = {}
  for i = 1, bytes do
    pieces[i] = string.char(math.random(0, 255))
  end
  return table.concat(pieces)
end

wrk.method = "POST"
wrk.headers["Content-Type"] = "multipart/form-data; boundary=" .. boundary
wrk.body = "--" .. boundary
  .. "\r\nContent-Disposition: form-data; name=\"avatar\"; filename=\"photo.jpg\"\r\nContent-Type: image/jpeg\r\n\r\n"
  .. noise(size) .. "\r\n--" .. boundary .. "--\r\n"

function done(summary)
  local errors = summary.errors
  print("uploads " .. summary.requests)
  print("errors " .. errors.connect + errors.read + errors.write + errors.status + errors.timeout)
end
