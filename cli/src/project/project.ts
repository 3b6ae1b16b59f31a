/** Compares a folder with a workspace: reads it, plans the changes and applies them. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { ApiError, type Client, type Schemas } from "@millrace/client";
import { toPlainText } from "../command.ts";
import { CommandError } from "../usage.ts";
import { diffLines } from "./diff.ts";
import { type Format, type Items, type Project, readProject, writeItems } from "./files.ts";
import { TYPES_FILE, writeTypes } from "./workspace-types.ts";

export type Applied = Schemas["AppliedProject"];

const CARD = "millrace.json";

/** Writes the resources of the workspace to the folder, and types if workflows are written in TypeScript. */
export async function pullProject(
  client: Client,
  folder: string,
  { kinds, format }: { readonly kinds: string | undefined; readonly format: Format },
): Promise<string[]> {
  const { data } = await client.code.export(kinds === undefined ? {} : { query: { kinds } });
  const written = await writeItems(folder, data.items as Items, format);
  const card = join(folder, CARD);
  if (!existsSync(card)) {
    writeFileSync(card, `${JSON.stringify({ project: projectName(folder) }, null, 2)}\n`);
  }
  const isTyped = format === "ts" || existsSync(join(folder, TYPES_FILE));
  return isTyped ? [...written, await writeTypes(client, folder)] : written;
}

export interface ApplyOptions {
  readonly isPlan: boolean;
  /** Overwrites changes that users made in the workspace. */
  readonly force: boolean;
  /** Deletes resources that are missing in the folder. */
  readonly prune: boolean;
}

/** Applies the folder, or returns the planned changes. An error names the files. */
export async function applyProject(
  client: Client,
  folder: string,
  { isPlan, force, prune }: ApplyOptions,
): Promise<Applied> {
  const project = await readProject(folder);
  const body = {
    project: readProjectName(folder),
    items: project.items,
    onEdited: force ? ("overwrite" as const) : ("keep" as const),
    onMissing: prune ? ("remove" as const) : ("keep" as const),
  };
  try {
    if (!isPlan) return (await client.code.apply({ body })).data;
    const dry: unknown = await client.code.apply({ body }, { dryRun: true });
    const { data } = dry as { data: { answer: { body: { data: Applied } } } };
    return data.answer.body.data;
  } catch (error) {
    const problems = error instanceof ApiError ? locateProblems(error, project) : [];
    if (problems.length === 0) throw error;
    throw new CommandError(problems.map(toPlainText).join("\n"));
  }
}

const PLACE = /^\/(?:resources|items)\/([a-z_]+)\/(\d+)(.*)$/;

/** The problems of an error as `file: path: message`. */
export function locateProblems({ errors }: ApiError, { paths }: Project): string[] {
  return errors.map(({ path, message }) => {
    const [, kind = "", index = "", rest = ""] = PLACE.exec(path) ?? [];
    const file = paths[kind]?.[Number(index)];
    if (file === undefined) return `${path}: ${message}`;
    return rest === "" ? `${file}: ${message}` : `${file}: ${rest}: ${message}`;
  });
}

const MARKS = {
  create: "+",
  update: "~",
  remove: "-",
  kept: "!",
  missing: "?",
  unchanged: " ",
} as const;

/** Describes changes for people. Resources edited in the workspace are shown with the folder's version. */
export function describeChanges({ changes, changed, kept }: Applied): string[] {
  const lines = changes.flatMap(({ act, kind, key, reason, before, after }) => [
    `${MARKS[act]} ${act} ${kind}/${key}${reason === undefined ? "" : `: ${reason}`}`,
    ...(act === "update" || (act === "kept" && after !== undefined)
      ? diffLines(before, after).map((line) => `    ${line}`)
      : []),
  ]);
  const conflicts = kept === 0 ? "" : `, ${kept} in conflict (--force overwrites)`;
  const missing = changes.filter(({ act }) => act === "missing").length;
  const rest =
    missing === 0 ? "" : ` ${missing} not in the folder (--prune deletes them on the server).`;
  const sum = changed + kept === 0 ? "No changes." : `${changed} to change${conflicts}.`;
  return [...lines, `${sum}${rest}`].map(toPlainText);
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
