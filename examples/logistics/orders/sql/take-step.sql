update orders set step = $1, version = version + 1
where id = $2
returning id, customer, destination, items, step, version
