select id, customer, destination, items, step, version from orders
where id = $1
