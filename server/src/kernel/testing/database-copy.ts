import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

type Template = "template" | "workedTemplate";

/** The next copies, created while tests use the previous ones. */
const next = new Map<Template, Promise<string>>();
/**
 * The connection that creates and drops copies for all files of this worker. A new one per copy took a third of the
 * time.
 */
let maker: Promise<pg.Client> | undefined;

/** Takes a new copy of a template and returns its name. */
export async function takeDatabase(of: Template = "template"): Promise<string> {
  const taken = next.get(of) ?? copyTemplate(of);
  next.delete(of);
  // A copy that failed in advance, for example because the template was in use, is created again.
  const name = await taken.catch(() => copyTemplate(of));
  const following = next.get(of) ?? copyTemplate(of);
  next.set(of, following);
  following.catch(() => undefined);
  return name;
}

/** Drops the copy in the background. Remaining copies are dropped at the end of the run. */
export function dropDatabase(name: string): void {
  execute(`drop database ${name} with (force)`).catch(() => undefined);
}

async function copyTemplate(of: Template): Promise<string> {
  const { [of]: copied, template, isPrivate } = inject("database");
  const name = `${template}_${randomUUID().slice(-12)}`;
  // Copying files waits for a checkpoint, which is free if nothing is synced and expensive otherwise.
  const strategy = isPrivate ? "file_copy" : "wal_log";
  await execute(`create database ${name} template ${copied} strategy ${strategy}`);
  return name;
}

/** Resolves after the previous statement, failed or not: a connection executes one at a time. */
let before: Promise<unknown> = Promise.resolve();

async function execute(text: string): Promise<void> {
  const executed = before.then(async () => {
    maker ??= connect();
    await (await maker).query(text);
  });
  before = executed.catch(() => undefined);
  await executed;
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(inject("database").owner);
  client.on("error", () => (maker = undefined));
  await client.connect();
  return client;
}
