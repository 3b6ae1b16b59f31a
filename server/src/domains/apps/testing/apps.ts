/** Apps for tests: created and deployed over HTTP, opened like in a browser. */
import type { Ask, World } from "#kernel/testing/world.ts";

const HOST = "millrace.example.com";
let count = 0;

/** A page with one of the given components, and a table source if required. */
export function aDefinition(more: object = {}) {
  count += 1;
  return {
    name: `Orders ${count}`,
    slug: `orders-${count}`,
    pages: [
      {
        path: "/",
        title: "Open orders",
        components: [
          { type: "text", text: "Hello {{ user.name }}", style: "heading" },
          { id: "again", type: "button", label: "Again", action: { type: "refresh" } },
        ],
      },
    ],
    ...more,
  };
}

export interface TestApp {
  readonly id: string;
  readonly slug: string;
  readonly pages: { readonly id: string; readonly path: string }[];
  readonly dataSources: { readonly id: string }[];
}

/** Creates an app. */
export async function makeApp(builder: Ask, more: object = {}): Promise<TestApp> {
  const { status, body } = await builder("POST /api/v1/apps", aDefinition(more));
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data;
}

/** Creates an app and deploys it. */
export async function deployedApp(
  builder: Ask,
  more: object = {},
  headers: Record<string, string> = {},
): Promise<TestApp & { readonly deploymentId: string }> {
  const app = await makeApp(builder, more);
  return { ...app, deploymentId: await deploy(builder, app.id, headers) };
}

export async function deploy(
  builder: Ask,
  id: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const { status, body } = await builder(`POST /api/v1/apps/${id}/deploy`, {}, headers);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data.id;
}

/** A browser on a page of this server, with a session cookie or without. */
export function browser(world: World, token?: string): Ask {
  const own = {
    host: HOST,
    origin: `http://${HOST}`,
    ...(token !== undefined && { cookie: `millrace_session=${token}` }),
  };
  return (route, body, headers) => world.stranger(route, body, { ...own, ...headers });
}

/** A table with these records. */
export async function tableOf(
  builder: Ask,
  columns: readonly object[],
  records: readonly object[],
  more: object = {},
): Promise<string> {
  count += 1;
  const slug = `things_${count}`;
  const made = await builder("POST /api/v1/tables", { name: slug, slug, columns, ...more });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  if (records.length > 0) {
    const filled = await builder(`POST /api/v1/tables/${slug}/records/bulk`, { records });
    if (filled.status !== 201) throw new Error(JSON.stringify(filled.body));
  }
  return slug;
}

/** An action with others that follow it. */
export function followed(action: object, ...next: readonly object[]): object {
  // `then` is a list, so `await` does not call it.
  // oxlint-disable-next-line unicorn/no-thenable
  return { ...action, then: next };
}
