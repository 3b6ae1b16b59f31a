/** The mail about a ticket event, as text and HTML. Untrusted text is escaped. */
import { markup, Markup } from "#kernel/html/markup.ts";
import type { TicketMailPart } from "../../tickets/index.ts";
import { paragraphsOf, type TicketChange } from "./words.ts";

export interface MailContent {
  readonly change: TicketChange;
  readonly header: string;
  readonly footer: string;
  readonly link: string;
  readonly parts: readonly TicketMailPart[];
  /** Files that are too large to send. */
  readonly leftOut: readonly string[];
}

/** Both bodies of a mail. */
export function composeBodies(content: MailContent): {
  readonly text: string;
  readonly html: string;
} {
  return { text: composeText(content), html: composeHtml(content) };
}

function composeText({ change, header, footer, link, parts, leftOut }: MailContent): string {
  const { lead, text, close } = paragraphsOf(change);
  const blocks = [
    header,
    lead,
    text,
    filesLine(leftOut),
    ...parts.map((part) =>
      [part.text, ...part.links.map(({ label, url }) => `${label}: ${url}`)].join("\n"),
    ),
    close,
    link,
    footer && `-- \n${footer}`,
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function composeHtml({ change, header, footer, link, parts, leftOut }: MailContent): string {
  const { lead, text, close } = paragraphsOf(change);
  const { number, title } = change.ticket;
  const body = [
    paragraph(header),
    paragraph(lead),
    text === ""
      ? undefined
      : markup`<blockquote style="margin:0 0 16px;padding:0 0 0 12px;border-left:3px solid #c9ced6">${lines(text)}</blockquote>`,
    paragraph(filesLine(leftOut)),
    ...parts.map(partMarkup),
    paragraph(close),
    markup`<p style="margin:0 0 16px"><a href="${link}">${number} ${title}</a></p>`,
    footer === ""
      ? undefined
      : markup`<p style="margin:24px 0 0;color:#5b6472">${lines(footer)}</p>`,
  ].filter((block): block is Markup => block !== undefined);
  return markup`<!doctype html><html><body style="font:15px/1.5 system-ui,sans-serif;color:#171b21">${body}</body></html>`
    .text;
}

function partMarkup({ text, links }: TicketMailPart): Markup {
  const anchors = links.map(
    ({ label, url }) =>
      markup`<a href="${url}" style="display:inline-block;margin:0 24px 8px 0">${label}</a>`,
  );
  return markup`<p style="margin:0 0 16px">${lines(text)}</p><p style="margin:0 0 16px">${anchors}</p>`;
}

function filesLine(leftOut: readonly string[]): string {
  if (leftOut.length === 0) return "";
  return `Too large to attach, available at the link below: ${leftOut.join(", ")}`;
}

function paragraph(text: string): Markup | undefined {
  return text === "" ? undefined : markup`<p style="margin:0 0 16px">${lines(text)}</p>`;
}

function lines(text: string): Markup {
  return new Markup(
    text
      .split("\n")
      .map((line) => markup`${line}`.text)
      .join("<br>\n"),
  );
}
