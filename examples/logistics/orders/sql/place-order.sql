insert into orders (id, customer, destination, items, step, version)
values ($1, $2, $3, $4, 'placed', 1)
