/** The headers for authentication and workspace. */
export function asMember(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}`, "x-workspace": "default" };
}

/** Endlessly reads these paths in turn. */
export function readsOf(paths: readonly string[], headers?: Readonly<Record<string, string>>) {
  const requests = paths.map((path) => get(path, headers));
  let at = 0;
  return (): string => requests[at++ % requests.length] ?? "";
}

/** Endless new notes, each with a unique title. Each series has different titles. */
export function newNotes(
  path: string,
  headers?: Readonly<Record<string, string>>,
  series = "Note",
) {
  return everNew(
    (number) => ({ title: `${series} ${number}`, body: "All is well. ".repeat(8) }),
    (body) => post(path, body, headers),
  );
}

/** New text modules, the plain resource of the product that is most similar to a note. */
export function newTextModules(path: string, headers: Readonly<Record<string, string>>) {
  return everNew(
    (number) => ({ name: "Greeting", keyword: `text-${number}`, body: "All is well. ".repeat(8) }),
    (body) => post(path, body, headers),
  );
}

/** Endless new orders, as another system would send them to a workflow's address. */
export function newOrders(path: string) {
  return everNew(
    (number) => ({ number: `ORD-${number}`, price: 49.9, quantity: 3, customer: "Ada Lovelace" }),
    (body) => post(path, body),
  );
}

/** Endless new messages for a topic. */
export function newMessages(topic: string, headers: Readonly<Record<string, string>>) {
  return everNew(
    (number) => ({ type: "order.placed", payload: { number: `ORD-${number}`, total: 149.7 } }),
    (body) => post(`/api/v1/events/topics/${topic}/publish`, body, headers),
  );
}

/** Endless new records of the table `orders`. */
export function newRecords(path: string, headers?: Readonly<Record<string, string>>) {
  return everNew(order, (body) => post(path, body, headers));
}

/** Endless new incidents. */
export function newIncidents(path: string, headers: Readonly<Record<string, string>>) {
  return everNew(
    (number) => ({ title: `Printer ${number}`, impact: 2, urgency: 2 }),
    (body) => post(path, body, headers),
  );
}

/** The same new records in each request; only their ids differ. */
export function newBulks(path: string, count: number, headers?: Readonly<Record<string, string>>) {
  const records = Array.from({ length: count }, (_, at) => order(String(at).padStart(12, "0")));
  const request = post(path, { records }, headers);
  return (): string => request;
}

/** Changes these records in turn, each time to a different value. */
export function changesOf(paths: readonly string[], headers?: Readonly<Record<string, string>>) {
  let made = 0;
  return (): string => {
    made += 1;
    const quantity = 1 + (Math.floor(made / paths.length) % 1_000);
    return send("PATCH", paths[made % paths.length] ?? "", { quantity }, headers);
  };
}

function order(number: string) {
  return {
    number: `ORD-${number}`,
    status: "open",
    price: 49.9,
    quantity: 3,
    note: "All is well.",
  };
}

/** All have the same length, so the head is created once. */
function everNew(body: (number: string) => unknown, request: (body: unknown) => string) {
  const blank = "0".repeat(12);
  const model = request(body(blank));
  const at = model.lastIndexOf(blank);
  const [before, after] = [model.slice(0, at), model.slice(at + blank.length)];
  let made = 0;
  return (): string => before + String(++made).padStart(blank.length, "0") + after;
}

/** Endlessly sends the same POST. */
export function posts(path: string, body: unknown, headers: Readonly<Record<string, string>>) {
  const request = post(path, body, headers);
  return (): string => request;
}

/** Endlessly sends the same login. */
export function loginsAs(login: { readonly email: string; readonly password: string }) {
  const request = post("/api/v1/auth/token", login);
  return (): string => request;
}

/** The text of a request for the load generator. */
function get(path: string, headers: Readonly<Record<string, string>> = {}): string {
  return `GET ${path} HTTP/1.1\r\nhost: bench\r\n${lines(headers)}\r\n`;
}

function post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): string {
  return send("POST", path, body, headers);
}

function send(
  method: "POST" | "PATCH",
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): string {
  const text = JSON.stringify(body);
  const length = String(Buffer.byteLength(text));
  const all = { "content-type": "application/json", "content-length": length, ...headers };
  return `${method} ${path} HTTP/1.1\r\nhost: bench\r\n${lines(all)}\r\n${text}`;
}

function lines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join("");
}
