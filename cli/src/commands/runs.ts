import type { Schemas } from "@millrace/client";
import {
  type Commands,
  connect,
  type Options,
  readJson,
  readLimit,
  type Said,
  toColumns,
  toPlainText,
  untilStopped,
  write,
} from "../command.ts";
import { readStream } from "../event-stream.ts";
import { findWorkflow } from "../find-workflow.ts";

type Run = Schemas["ListedRun"];
type Step = Schemas["RunStep"];

const OVER = new Set(["completed", "failed", "cancelled"]);

/** Commands for workflows and runs. */
export const runCommands: Commands = {
  "workflows list": {
    run: async (options) => {
      const query = { limit: readLimit(options, 50) };
      const { data } = await connect(options).workflows.list({ query });
      const rows = data.map(({ id, name, status }) => [id, status, name]);
      return { lines: toColumns(rows), value: data, ok: true };
    },
  },
  "workflows publish": {
    words: ["WORKFLOW"],
    run: async (options, name = "") => {
      const client = connect(options);
      const { id } = await findWorkflow(client, name);
      const { data } = await client.workflows.publish({ params: { id } });
      const { environment = "production" } = options;
      return { lines: [`published ${data.name} to ${environment}`], value: data, ok: true };
    },
  },
  "workflows run": {
    words: ["WORKFLOW"],
    run: async (options, name = "") => {
      const client = connect(options);
      const { id } = await findWorkflow(client, name);
      const body = options.input === undefined ? {} : { input: readJson(options.input, "--input") };
      const { data } = await client.workflows.trigger({ params: { id }, body });
      if (options.follow) return followRun(data.id, options);
      return { lines: [`${data.id} ${data.status}`], value: data, ok: data.status !== "failed" };
    },
  },
  "runs list": {
    words: ["WORKFLOW?"],
    run: async (options, name) => {
      const client = connect(options);
      const { status } = options;
      const workflow = name === undefined ? undefined : await findWorkflow(client, name);
      const query = {
        limit: readLimit(options, 20),
        ...(status !== undefined && { status }),
        ...(workflow && { workflowId: workflow.id }),
      };
      const { data } = await client.runs.list({ query });
      return { lines: toColumns(data.map(toRow)), value: data, ok: true };
    },
  },
  "runs show": {
    words: ["RUN-ID"],
    run: async (options, runId = "") => {
      const { data } = await connect(options).runs.get({ params: { runId } });
      const lines = [...data.trace.steps.flatMap(stepLines), endLine(data)];
      return { lines, value: data, ok: true };
    },
  },
  "runs logs": {
    words: ["RUN-ID"],
    run: async (options, runId = "") => {
      if (options.follow) return followRun(runId, options);
      const { data } = await connect(options).runs.get({ params: { runId } });
      const lines = data.trace.steps.flatMap(logLines);
      return { lines, value: data.trace.steps.map(({ id, logs }) => ({ id, logs })), ok: true };
    },
  },
  "runs cancel": {
    words: ["RUN-ID"],
    run: async (options, runId = "") => {
      const { data } = await connect(options).runs.cancel({ params: { runId } });
      return { lines: [endLine(data)], value: data, ok: true };
    },
  },
  "runs retry": {
    words: ["RUN-ID"],
    run: async (options, runId = "") => {
      const client = connect(options);
      const { data } = await client.runs.retry({ params: { runId } });
      if (options.follow) return followRun(data.id, options);
      return { lines: [endLine(data)], value: data, ok: true };
    },
  },
};

type Ended = Pick<Run, "id" | "status" | "error">;

/** Prints steps and logs as they arrive until the run ends. The stream of a long run is reopened. */
async function followRun(runId: string, options: Options): Promise<Said> {
  const signal = untilStopped();
  const { environment } = options;
  const told = new Set<string>();
  const tell = (step: Step): void => {
    for (const line of stepLines(step)) {
      if (told.has(line)) continue;
      told.add(line);
      if (!options.json) write(line);
    }
  };
  let run: Ended = { id: runId, status: "running", error: null };
  while (!OVER.has(run.status) && !signal.aborted) {
    const path = `/api/v1/runs/${encodeURIComponent(runId)}/stream`;
    const stream = readStream(path, { signal, ...(environment !== undefined && { environment }) });
    for await (const { name, data } of stream) {
      if (name === "step") tell(data as Step);
      if (name !== "run") continue;
      const { trace, ...facts } = data as Ended & { trace?: { steps?: readonly Step[] } };
      for (const step of trace?.steps ?? []) tell(step);
      run = { ...run, ...facts };
    }
  }
  return { lines: [endLine(run)], value: run, ok: run.status === "completed" };
}

function toRow({ id, status, createdAt, workflowName, error }: Run): string[] {
  return [id, status, createdAt, workflowName, error?.message ?? ""];
}

function endLine({ id, status, error }: Ended): string {
  return toPlainText(`${id} ${status}${error ? `: ${error.code}: ${error.message}` : ""}`);
}

function stepLines(step: Step): string[] {
  const { id, status, error } = step;
  const why = error ? `: ${error.code}: ${error.message}` : "";
  return [toPlainText(`${id} ${status}${why}`), ...logLines(step)];
}

function logLines({ id, logs }: Step): string[] {
  return logs.map(({ at, level, message, metadata }) => {
    const more = metadata === undefined || metadata === null ? "" : ` ${JSON.stringify(metadata)}`;
    return toPlainText(`  ${at} ${id} ${level}: ${message}${more}`);
  });
}
