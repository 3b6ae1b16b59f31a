/** A folder against a workspace: read it, plan what would change, apply it. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Client, Schemas } from "@millrace/client";
import { CommandError } from "../usage.ts";
import { diffLines } from "./diff.ts";
import { type Items, readItems, writeItems } from "./files.ts";

type Applied = Schemas["AppliedProject"];

const CARD = "millrace.json";

/** Writes what the workspace has to the folder. */
export async function pullProject(
  client: Client,
  folder: string,
  kinds: string | undefined,
): Promise<string[]> {
  const { data } = await client.code.export(kinds === undefined ? {} : { query: { kinds } });
  const written = writeItems(folder, data.items as Items);
  const card = join(folder, CARD);
  if (!existsSync(card)) {
    writeFileSync(card, `${JSON.stringify({ project: projectName(folder) }, null, 2)}\n`);
  }
  return written;
}

export interface ApplyOptions {
  readonly isPlan: boolean;
  /** Overwrites what people edited in the workspace. */
  readonly force: boolean;
  /** Removes what the folder no longer has. */
  readonly prune: boolean;
}

/** Applies the folder, or tells what that would do. */
export async function applyProject(
  client: Client,
  folder: string,
  { isPlan, force, prune }: ApplyOptions,
): Promise<Applied> {
  const body = {
    project: readProjectName(folder),
    items: await readItems(folder),
    onEdited: force ? ("overwrite" as const) : ("keep" as const),
    onMissing: prune ? ("remove" as const) : ("keep" as const),
  };
  if (!isPlan) return (await client.code.apply({ body })).data;
  const dry: unknown = await client.code.apply({ body }, { dryRun: true });
  const { data } = dry as { data: { answer: { body: { data: Applied } } } };
  return data.answer.body.data;
}

const MARKS = {
  create: "+",
  update: "~",
  remove: "-",
  kept: "!",
  missing: "?",
  unchanged: " ",
} as const;

/** Tells changes to people. */
export function describeChanges({ changes, changed, kept }: Applied): string[] {
  const lines = changes.flatMap(({ act, kind, key, reason, before, after }) => [
    `${MARKS[act]} ${act} ${kind}/${key}${reason === undefined ? "" : `: ${reason}`}`,
    ...(act === "update" ? diffLines(before, after).map((line) => `    ${line}`) : []),
  ]);
  const conflicts = kept === 0 ? "" : `, ${kept} in conflict (--force overwrites)`;
  const missing = changes.filter(({ act }) => act === "missing").length;
  const rest = missing === 0 ? "" : ` ${missing} missing here (--prune removes them there).`;
  const sum = changed + kept === 0 ? "No changes." : `${changed} to change${conflicts}.`;
  return [...lines, `${sum}${rest}`].map(toPlainText);
}

/** Names come from other people: none of them moves the cursor or turns the text of a plan around. */
function toPlainText(line: string): string {
  return line.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16)}}`;
  });
}

function readProjectName(folder: string): string {
  const path = join(folder, CARD);
  if (!existsSync(path)) return projectName(folder);
  const { project } = JSON.parse(readFileSync(path, "utf8")) as { readonly project?: unknown };
  if (typeof project !== "string") throw new CommandError(`${path} must name a project.`);
  return project;
}

function projectName(folder: string): string {
  const plain = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-");
  return /^[a-z]/.test(plain) ? plain.slice(0, 50) : `project-${plain}`.slice(0, 50);
}
