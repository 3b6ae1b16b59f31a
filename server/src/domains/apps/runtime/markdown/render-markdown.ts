/**
 * Renders the Markdown of a page without blocking the event loop. Texts come from app authors or data, and some
 * texts of 50,000 characters take seconds to parse, or become a hundred thousand elements: long ones are parsed in
 * worker threads, and the total per page is limited.
 */
import { failure, Failure } from "#kernel/operation/failure.ts";
import { TaskThreads } from "#kernel/work/task-threads.ts";
import type { VNode } from "#kernel/html/vnode.ts";
import { loadMarkdownElements, type MarkdownElements } from "./markdown-elements.ts";

const TooMuchMarkdown = failure("too_much_markdown", 422, "The Markdown text is too long.");

/** The maximum text length of a page definition; longer data is truncated. */
const CHARACTERS_MAX = 50_000;
/** The limit for texts that are parsed on the main thread: the worst case takes a few milliseconds. */
const SHORT_CHARACTERS_MAX = 500;
const SHORT_CHARACTERS_PER_PAGE_MAX = 5_000;
/** The limit for all texts of a page, which are sent to the browser and rendered there. */
const ELEMENTS_PER_PAGE_MAX = 10_000;
const TIME_PER_PAGE_MAX_MS = 3_000;

const threads = new TaskThreads<string, MarkdownElements>({
  program: new URL("./markdown-thread.ts", import.meta.url),
  threads: 2,
  timeoutMs: 1_000,
  isStoppable: true,
});

/** The Markdown of one page, and its remaining limits. */
export class PageMarkdown {
  readonly #workspace: string;
  #shortCharacters = 0;
  #elements = 0;
  #timeMs = 0;

  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  /** Renders a text as elements; throws a failure if it exceeds the limits of its page. */
  async render(whole: string): Promise<readonly VNode[]> {
    const text = whole.slice(0, CHARACTERS_MAX);
    if (this.#timeMs > TIME_PER_PAGE_MAX_MS) throw new Failure(TooMuchMarkdown);
    const rendered = await this.#parse(text);
    this.#elements += rendered?.count ?? 0;
    if (!rendered || this.#elements > ELEMENTS_PER_PAGE_MAX) throw new Failure(TooMuchMarkdown);
    return rendered.elements;
  }

  async #parse(text: string): Promise<MarkdownElements | undefined> {
    this.#shortCharacters += text.length;
    const isShort =
      text.length <= SHORT_CHARACTERS_MAX && this.#shortCharacters <= SHORT_CHARACTERS_PER_PAGE_MAX;
    if (isShort) return (await loadMarkdownElements())(text);
    const from = performance.now();
    try {
      return await threads.run(this.#workspace, text);
    } finally {
      this.#timeMs += performance.now() - from;
    }
  }
}
