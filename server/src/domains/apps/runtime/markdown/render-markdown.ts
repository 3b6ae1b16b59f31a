/**
 * Renders the Markdown of a page without blocking the event loop. A text comes from whoever makes the app or its
 * data, and some of 50,000 characters take the parser seconds, or become a hundred thousand elements: long ones are
 * read in threads, and what a page shows of all its texts is bounded.
 */
import { failure, Failure } from "#kernel/operation/failure.ts";
import { TaskThreads } from "#kernel/work/task-threads.ts";
import type { VNode } from "#kernel/html/vnode.ts";
import { loadMarkdownElements, type MarkdownElements } from "./markdown-elements.ts";

const TooMuchMarkdown = failure("too_much_markdown", 422, "The Markdown text is too long.");

/** As much as a page may hold itself; longer data is cut off. */
const CHARACTERS_MAX = 50_000;
/** Of the texts that are parsed at once, together: the worst of them take some milliseconds. */
const SHORT_CHARACTERS_MAX = 500;
const SHORT_CHARACTERS_PER_PAGE_MAX = 5_000;
/** Of all texts of a page: they are sent to the browser, and built there. */
const ELEMENTS_PER_PAGE_MAX = 10_000;
const TIME_PER_PAGE_MAX_MS = 3_000;

const threads = new TaskThreads<string, MarkdownElements>({
  program: new URL("./markdown-thread.ts", import.meta.url),
  threads: 2,
  timeoutMs: 1_000,
  isStoppable: true,
});

/** The Markdown of one page, and what may still be rendered of it. */
export class PageMarkdown {
  readonly #workspace: string;
  #shortCharacters = 0;
  #elements = 0;
  #timeMs = 0;

  constructor(workspace: string) {
    this.#workspace = workspace;
  }

  /** The text as elements; throws a failure when it is too much for its page. */
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
