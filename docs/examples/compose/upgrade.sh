#!/bin/sh
# Builds the image and replaces one hub after the other. nginx sends no call to the one that is replaced, and none to one
# that does not become healthy: then this ends, the other hub goes on, and once the fault is mended this is run again.
set -eu
cd "$(dirname "$0")"

# Changes what nginx knows of the hubs. Calls that are open may finish.
tell_proxy() {
  sed "$1" nginx/nginx.conf >nginx/new
  mv nginx/new nginx/nginx.conf
  docker compose exec -T proxy nginx -c /etc/guardhouse/nginx.conf -s reload
  sleep 2
}

docker compose build hub-1 hub-2
for hub in hub-1 hub-2; do
  tell_proxy "s/ down;/;/; /server $hub:/s/;/ down;/"
  docker compose up --detach --no-deps --wait "$hub"
  tell_proxy "s/ down;/;/"
done
