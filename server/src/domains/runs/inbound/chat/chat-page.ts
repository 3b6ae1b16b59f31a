/** The chat page. It works without JavaScript and contains the conversation so far. */
import type { ChatTrigger } from "#domains/workflows/index.ts";
import { document, type HtmlDocument, type Markup, markup } from "#kernel/html/markup.ts";
import type { ChatFile } from "./chat-files.ts";
import { CHAT_SCRIPT } from "./browser/chat-script.ts";

/** A conversation as shown on a page, in turns of messages and responses. */
export interface ChatState {
  readonly sessionId: string;
  readonly texts: readonly string[];
  /** Files of the last response. */
  readonly files?: readonly ChatFile[];
}

export const MESSAGE_CHARACTERS_MAX = 4_000;
const TEXTS_MAX = 40;

/** The page of a conversation. */
export function chatPage(trigger: ChatTrigger, state: ChatState): HtmlDocument {
  const { sessionId, texts, files = [] } = state;
  const { title, greeting, placeholder = "Write a message", suggestions = [], accent } = trigger;
  const turns = texts.slice(-TEXTS_MAX);
  return document({
    title,
    accent,
    script: CHAT_SCRIPT,
    body: markup`<h1>${title}</h1>
${greeting !== undefined && markup`<p>${greeting}</p>`}
<div role="log" aria-label="Conversation">
${turns.map((text, at) => markup`<div class="turn${at % 2 === 0 && " you"}"><p class="faint">${at % 2 === 0 ? "You" : title}</p>${text.split(/\n{2,}/).map((part) => markup`<p>${part}</p>`)}${at === turns.length - 1 && fileMarkup(files)}</div>`)}
</div>
<div id="live" class="turn" aria-live="off" hidden></div>
<p id="state" class="faint" role="status"></p>
${turns.length === 0 && suggestions.length > 0 && suggestionMarkup(sessionId, suggestions)}
<form method="post" class="composer">
<input type="hidden" name="sessionId" value="${sessionId}">
${turns.map((text) => markup`<input type="hidden" name="texts" value="${text}">`)}
<label>Message
<textarea name="message" rows="2" required maxlength="${MESSAGE_CHARACTERS_MAX}" placeholder="${placeholder}" autofocus></textarea></label>
<button type="submit">Send</button>
</form>`,
  });
}

function fileMarkup(files: readonly ChatFile[]): readonly Markup[] {
  return files.map(({ name, url }) => markup`<p><a href="${url}">${name}</a></p>`);
}

/** The suggested questions, each a button that sends it. */
function suggestionMarkup(sessionId: string, suggestions: readonly string[]): Markup {
  return markup`<form method="post" class="offers" aria-label="Suggested questions">
<input type="hidden" name="sessionId" value="${sessionId}">
${suggestions.map((text) => markup`<button class="second" type="submit" name="message" value="${text}">${text}</button>`)}
</form>`;
}
