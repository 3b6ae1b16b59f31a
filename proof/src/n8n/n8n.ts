/** Measures how many public n8n workflows the importer converts, and which nodes prevent the others. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Script } from "node:vm";
import { domains } from "../../../server/src/app.ts";
import { findDefinitionIssues } from "../../../server/src/domains/workflows/checks/check-workflow.ts";
import { nodeTypesOf } from "../../../server/src/domains/workflows/node-types.ts";
import {
  type Imported,
  importN8n,
} from "../../../server/src/domains/workflows/n8n/import-workflow.ts";
import type { Finding, Options, Proof } from "../proof.ts";
import { isIntact, readTemplate, type Template } from "./template.ts";

/**
 * `npm run proof -- n8n FOLDER [--share=70] [--top=40] [--list=TYPE]`. The folder contains templates as JSON, at any
 * depth.
 */
export const n8n: Proof = {
  name: "n8n",
  usage: "FOLDER [--share=70] [--top=40] [--list=TYPE]",
  run,
};

type Fate = "whole" | "approximated" | "placeholder" | "invalid" | "refused";

interface Outcome {
  readonly file: string;
  readonly fate: Fate;
  /** The reasons for an incomplete import: node types with reasons, or errors of the definition. */
  readonly blockers: readonly string[];
  readonly imported?: Imported;
}

const types = nodeTypesOf({ contributions: domains.flatMap((one) => one.contributions ?? []) });

async function run(options: Options): Promise<Finding> {
  const [folder] = options.filter((one) => !one.startsWith("--"));
  if (folder === undefined) throw new Error("Name a folder of templates.");
  const goal = Number(optionOf(options, "share") ?? 0);
  const top = Number(optionOf(options, "top") ?? 40);
  const listed = optionOf(options, "list");
  const outcomes: Outcome[] = [];
  const counts = { files: 0, templates: 0, intact: 0 };
  for (const file of await readdir(folder, { recursive: true })) {
    if (!file.endsWith(".json")) continue;
    counts.files += 1;
    const template = readTemplate(await readFile(join(folder, file), "utf8"));
    if (!template) continue;
    counts.templates += 1;
    if (!isIntact(template)) continue;
    counts.intact += 1;
    outcomes.push(importTemplate(file, template));
  }
  const share = (fates: readonly Fate[]): number =>
    (100 * outcomes.filter(({ fate }) => fates.includes(fate)).length) / Math.max(1, counts.intact);
  const carried = share(["whole", "approximated"]);
  return {
    held: carried >= goal,
    lines: [
      `${counts.files} files, ${counts.templates} templates, ${counts.intact} of them intact`,
      `carried ${carried.toFixed(1)} %: wholly ${share(["whole"]).toFixed(1)} %, approximated ${share(["approximated"]).toFixed(1)} %`,
      `with placeholders ${share(["placeholder"]).toFixed(1)} %, invalid ${share(["invalid"]).toFixed(1)} %, refused ${share(["refused"]).toFixed(1)} %`,
      ...blockerLines(outcomes, top),
      ...(listed === undefined ? [] : examplesOf(outcomes, listed)),
    ],
  };
}

function optionOf(options: Options, name: string): string | undefined {
  return options.find((one) => one.startsWith(`--${name}=`))?.slice(name.length + 3);
}

function importTemplate(file: string, template: Template): Outcome {
  try {
    const imported = importChosen(template);
    const report = imported.workflows.flatMap((one) => one.report);
    const lost = report.filter(({ status }) => status === "placeholder");
    if (lost.length > 0) {
      const blockers = lost.map(({ type, reasons }) => `${type}: ${reasons[0] ?? ""}`);
      return { file, fate: "placeholder", blockers: [...new Set(blockers)], imported };
    }
    const errors = imported.workflows.flatMap(({ definition }) => [
      ...findDefinitionIssues(types, definition).errors,
      ...findScriptErrors(definition.nodes, "/nodes"),
    ]);
    if (errors.length > 0) {
      const blockers = errors.map(({ path, message }) => {
        const place = path.replaceAll(/\d+/g, "0");
        return `${place} ${message}`.slice(0, 150);
      });
      return { file, fate: "invalid", blockers: [...new Set(blockers)], imported };
    }
    const isExact = report.every(({ status }) => status === "converted");
    return { file, fate: isExact ? "whole" : "approximated", blockers: [], imported };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { file, fate: "refused", blockers: [reason] };
  }
}

/** Scripts with syntax errors, including those of loops and tools. The server would reject them. */
function findScriptErrors(value: unknown, path: string): { path: string; message: string }[] {
  if (typeof value !== "object" || value === null) return [];
  const { config, type } = value as { readonly config?: unknown; readonly type?: unknown };
  const { source } = Object(config) as { readonly source?: unknown };
  const inner = Object.entries(value).flatMap(([name, one]) =>
    findScriptErrors(one, `${path}/${name}`),
  );
  if (type !== "script" || typeof source !== "string") return inner;
  try {
    // oxlint-disable-next-line no-new
    new Script(`(async (input, context) => {${source}\n})`);
    return inner;
  } catch (error) {
    return [...inner, { path: `${path}/config/source`, message: String(error) }];
  }
}

const CHOICES_MAX = 5;

/** The import with all choices made. A choice can lead to another. */
function importChosen(template: Template): Imported {
  let imported = importN8n(template);
  for (let turn = 0; turn < CHOICES_MAX; turn += 1) {
    const next = importN8n(template, chooseAll(imported));
    const isSettled = next.bindings.length === imported.bindings.length;
    imported = next;
    if (isSettled) break;
  }
  return imported;
}

/** A user chooses a connector, a workflow and so on for each binding. */
function chooseAll({ bindings }: Imported): Readonly<Record<string, string>> {
  return Object.fromEntries(
    bindings.map(({ id, kind }) => [
      id,
      id.startsWith("text:schedule ") ? "0 9 * * *" : CHOICES[kind],
    ]),
  );
}

const ID = "01jd0000000000000000000000";
const CHOICES = {
  connector: `con_${ID}`,
  workflow: `wf_${ID}`,
  table: `tbl_${ID}`,
  secret: "IMPORTED",
  text: "Name",
} as const;

/** The blockers, sorted by templates blocked only by them, then by all affected templates. */
function blockerLines(outcomes: readonly Outcome[], top: number): string[] {
  const kept = outcomes.filter(({ blockers }) => blockers.length > 0);
  const typeOf = (blocker: string): string => blocker.split(":")[0] ?? "";
  const types = countBy(kept, ({ blockers }) => [...new Set(blockers.map(typeOf))]);
  const reasons = countBy(kept, ({ blockers }) => blockers);
  const line = ([name, { alone, all }]: readonly [string, BlockerCount]): string =>
    `  ${String(alone).padStart(5)} ${String(all).padStart(5)}  ${name}`;
  return [
    "types of nodes: templates that they alone keep out, all templates that they keep out",
    ...types.slice(0, top).map(line),
    "the same by reason",
    ...reasons.slice(0, top * 2).map(line),
  ];
}

interface BlockerCount {
  alone: number;
  all: number;
}

function countBy(
  outcomes: readonly Outcome[],
  namesOf: (outcome: Outcome) => readonly string[],
): (readonly [string, BlockerCount])[] {
  const counts = new Map<string, BlockerCount>();
  for (const outcome of outcomes) {
    const names = namesOf(outcome);
    for (const name of names) {
      const count = counts.get(name) ?? { alone: 0, all: 0 };
      count.all += 1;
      if (names.length === 1) count.alone += 1;
      counts.set(name, count);
    }
  }
  const weight = ({ alone, all }: BlockerCount): number => alone + all / 10;
  return [...counts].toSorted(([, one], [, other]) => weight(other) - weight(one));
}

const EXAMPLES_MAX = 20;

function examplesOf(outcomes: readonly Outcome[], word: string): string[] {
  return outcomes
    .filter(({ blockers }) => blockers.some((one) => one.includes(word)))
    .toSorted((one, other) => one.blockers.length - other.blockers.length)
    .slice(0, EXAMPLES_MAX)
    .map(({ file, blockers }) => `  ${file}: ${blockers.slice(0, 4).join(" | ")}`);
}
