/**
 * Renders Markdown without blocking the event loop. Short texts are rendered immediately. Some long texts (200,000
 * brackets) take seconds, so long texts are rendered in threads, alternating between workspaces.
 */
import { invalidField } from "#kernel/operation/failure.ts";
import { TaskThreads } from "#kernel/work/task-threads.ts";
import { type MarkdownRenderer, loadMarkdown } from "./markdown.ts";

/** Time grows quadratically: this many brackets take a millisecond, ten times as many 0.1 seconds. */
const SHORT_CHARACTERS_MAX = 500;

const threads = new TaskThreads<RenderTask, string>({
  program: new URL("./markdown-thread.ts", import.meta.url),
  threads: 2,
  timeoutMs: 15_000,
  isStoppable: true,
});

/** A text and the method that renders it. */
export interface RenderTask {
  readonly method: keyof MarkdownRenderer;
  readonly markdown: string;
}

export function toHtml(workspace: string, markdown: string): Promise<string> {
  return render(workspace, { method: "toHtml", markdown });
}

export function toPlainText(workspace: string, markdown: string): Promise<string> {
  return render(workspace, { method: "toPlainText", markdown });
}

async function render(workspace: string, task: RenderTask): Promise<string> {
  const { method, markdown } = task;
  if (markdown.length <= SHORT_CHARACTERS_MAX) return (await loadMarkdown())[method](markdown);
  const rendered = await threads.run(workspace, task);
  if (rendered !== undefined) return rendered;
  const path = method === "toHtml" ? "?format" : "/body";
  throw invalidField(path, "takes too long to render as Markdown");
}
