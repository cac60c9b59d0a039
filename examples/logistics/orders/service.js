// Takes orders and their steps over HTTP. Each change and its event are committed together, or not at all; the relay, a
// process of its own, does the rest. DATABASE_URL and PORT say where.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import pg from 'pg';

const STEPS = ['packed', 'shipped', 'delivered'];
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LARGEST_BODY = 2_000_000;

const sql = name => readFileSync(new URL(`sql/${name}.sql`, import.meta.url), 'utf8');
const PLACE_ORDER = sql('place-order');
const ORDER_PLACED = sql('order-placed');
const TAKE_STEP = sql('take-step');
const ORDER_MOVED = sql('order-moved');
const GET_ORDER = sql('get-order');

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 5 });
// A connection that breaks while nobody uses it is replaced; without a listener it would end the process.
pool.on('error', error => console.error(`orders: ${error.message}`));

class Problem extends Error {
  constructor(status, title, detail, more = {}) {
    super(detail);
    this.body = { type: 'about:blank', title, status, detail, ...more };
  }
}

const unknown = id => new Problem(404, 'Not Found', `There is no order ${id}.`);

async function inTransaction(work) {
  const client = await pool.connect();
  let broken;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => { broken = error; });
    throw error;
  } finally {
    client.release(broken);
  }
}

async function place(request) {
  const order = { id: randomUUID(), ...valid(request), step: 'placed', version: 1 };
  await inTransaction(async client => {
    await client.query(PLACE_ORDER, [order.id, order.customer, order.destination, JSON.stringify(order.items)]);
    await client.query(ORDER_PLACED, [order.id, JSON.stringify(order)]);
  });
  return order;
}

async function take(id, step) {
  if (!STEPS.includes(step)) {
    throw invalid({ step: `must be one of ${STEPS.join(', ')}` });
  }
  return inTransaction(async client => {
    const { rows: [order] } = await client.query(TAKE_STEP, [step, id]);
    if (!order) {
      throw unknown(id);
    }
    await client.query(ORDER_MOVED, [randomUUID(), `logistics.order.${step}`, id, JSON.stringify(order)]);
    return order;
  });
}

async function get(id) {
  const { rows: [order] } = await pool.query(GET_ORDER, [id]);
  if (!order) {
    throw unknown(id);
  }
  return order;
}

const invalid = fields => new Problem(400, 'Bad Request', 'The request is not valid.', { fields });

function valid({ customer, destination, items }) {
  const isText = (value, most) => typeof value === 'string' && value.trim() !== '' && value.length <= most;
  const fields = {};
  if (!isText(customer, 200)) {
    fields.customer = 'must be a text of 1 to 200 characters';
  }
  if (!isText(destination, 1_000_000)) {
    fields.destination = 'must be a text of 1 to 1000000 characters';
  }
  if (!Array.isArray(items) || items.length < 1 || items.length > 100
      || !items.every(item => isText(item?.article, 50) && Number.isInteger(item.quantity) && item.quantity > 0)) {
    fields.items = 'must be 1 to 100 items with an article and a positive quantity';
  }
  if (Object.keys(fields).length > 0) {
    throw invalid(fields);
  }
  return { customer, destination, items: items.map(({ article, quantity }) => ({ article, quantity })) };
}

async function body(request) {
  const chunks = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > LARGEST_BODY) {
      throw new Problem(413, 'Content Too Large', `A request has at most ${LARGEST_BODY} bytes.`);
    }
    chunks.push(chunk);
  }
  try {
    const parsed = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (parsed !== null && typeof parsed === 'object') {
      return parsed;
    }
  } catch {
    // Told below.
  }
  throw new Problem(400, 'Bad Request', 'The request is not a JSON object.');
}

async function answer(request) {
  const [, root, id, steps, ...rest] = new URL(request.url, 'http://localhost').pathname.split('/');
  if (root === 'orders' && rest.length === 0) {
    if (id !== undefined && !UUID.test(id)) {
      throw new Problem(400, 'Bad Request', 'The id of an order is a UUID.');
    }
    if (request.method === 'POST' && id === undefined) {
      return [201, await place(await body(request))];
    }
    if (request.method === 'POST' && steps === 'steps') {
      return [200, await take(id, (await body(request)).step)];
    }
    if (request.method === 'GET' && id !== undefined && steps === undefined) {
      return [200, await get(id)];
    }
  }
  throw new Problem(404, 'Not Found', 'There is nothing here.');
}

const server = createServer(async (request, response) => {
  let status, type, document;
  try {
    [status, document] = await answer(request);
    type = 'application/json';
  } catch (error) {
    if (!(error instanceof Problem)) {
      console.error(`orders: ${error.message}`);
    }
    document = error instanceof Problem ? error.body
        : { type: 'about:blank', title: 'Internal Server Error', status: 500, detail: 'Try again later.' };
    status = document.status;
    type = 'application/problem+json';
  }
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify(document));
});

server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  console.log(`orders: listening on port ${server.address().port}`);
});

for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    server.close(() => pool.end());
    server.closeIdleConnections();
  });
}
