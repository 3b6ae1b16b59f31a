/** The e-mail of a report: images of its charts, text and tables for the rest, and CSV. */
import {
  type Figure,
  formatChange,
  changeOf,
  formatGroup,
  formatValue,
  toTitle,
} from "@millrace/client/chart";
import { type Markup, markup } from "#kernel/html/markup.ts";
import type { MailAttachment } from "#kernel/mail/mailer.ts";
import { fileChunks } from "../exports/file/formats.ts";
import { answerOf, figureOf, type KpiPart, type MailPart, type MailSubject } from "./content.ts";
import { drawChart } from "./picture/draw.ts";
import type { StoredSchedule } from "./store.ts";

const TABLE_ROWS_MAX = 30;
const TABLE_COLUMNS_MAX = 8;
const CSV_BYTES_MAX = 8 * 1024 * 1024;

export interface ComposedReport {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly attachments: readonly MailAttachment[];
}

interface DrawnPart {
  readonly html: Markup;
  readonly text: string;
  readonly attachments: readonly MailAttachment[];
}

/** Composes the e-mail; `link` opens the same numbers in the console. */
export async function composeReport(
  schedule: Pick<StoredSchedule, "name" | "message" | "attachCsv">,
  subject: MailSubject,
  link: string,
): Promise<ComposedReport> {
  const { name, message, attachCsv } = schedule;
  const drawn: DrawnPart[] = [];
  for (const [index, part] of subject.parts.entries()) {
    drawn.push(await drawPart(part, index, attachCsv));
  }
  const text = [message, ...drawn.map((part) => part.text), `Open: ${link}`];
  const html =
    markup`<!doctype html><html><body style="font:14px/1.5 system-ui,sans-serif;color:#131c22;max-width:640px">
<h1 style="font-size:20px;margin:0 0 12px">${subject.title}</h1>
${message !== "" && markup`<p style="margin:0 0 16px;white-space:pre-line">${message}</p>`}
${drawn.map((part) => part.html)}
<p style="margin:24px 0 0"><a href="${link}" style="color:#007696">Open it in the console</a></p>
<p style="margin:12px 0 0;color:#656d73;font-size:12px">The numbers include only data that you have permission to see.</p>
</body></html>`.text;
  return {
    subject: name,
    text: `${text.filter((block) => block !== "").join("\n\n")}\n`,
    html,
    attachments: drawn.flatMap((part) => part.attachments),
  };
}

async function drawPart(part: MailPart, index: number, attachCsv: boolean): Promise<DrawnPart> {
  const head = markup`<h2 style="font-size:14px;margin:20px 0 6px">${part.title}</h2>`;
  if (part.status === "failed") {
    const message = part.message ?? "This could not be computed.";
    return {
      html: markup`${head}<p style="margin:0;color:#c2272a">${message}</p>`,
      text: `${part.title}\n${message}`,
      attachments: [],
    };
  }
  if (part.kind === "text") {
    const { text } = part.data as { readonly text: string };
    return {
      html: markup`${part.title !== "" && head}<p style="margin:0;white-space:pre-line">${text}</p>`,
      text,
      attachments: [],
    };
  }
  if (part.kind === "kpi") return drawKpi(part, head);
  const figure = figureOf(part);
  const csv = attachCsv ? await buildCsv(part, index) : [];
  if (!figure) return { html: markup``, text: "", attachments: csv };
  const chart = await drawChart(figure);
  const text = `${part.title}\n${sayFigure(figure)}`;
  if (!chart) {
    return { html: markup`${head}${tableOf(figure)}`, text, attachments: csv };
  }
  const cid = `chart-${index}@millrace`;
  const { width, height, left } = chart;
  const omitted = figure.kind === "course" ? figure.omitted : undefined;
  const note = left > 0 ? `and ${left} more` : omitted;
  const alt = sayFigure(figure).slice(0, 900);
  const html = markup`${head}<img src="cid:${cid}" width="${width}" height="${height}" alt="${alt}" style="max-width:100%;height:auto">${note !== undefined && markup`<p style="margin:4px 0 0;color:#656d73">${note}</p>`}`;
  const picture = {
    filename: `${fileName(part.title, index)}.png`,
    contentType: "image/png",
    content: chart.png,
    cid,
  };
  return { html, text, attachments: [picture, ...csv] };
}

function drawKpi({ title, data }: MailPart, head: Markup): DrawnPart {
  // The data of a KPI widget.
  const { kpi, latest } = data as KpiPart;
  const style = { unit: kpi.unit ?? undefined };
  const value = formatValue(latest?.value, style);
  const target = `Target ${kpi.direction === "up" ? "≥" : "≤"} ${formatValue(kpi.target, style)}`;
  const colour = latest?.met === false ? "#c2272a" : "#131c22";
  return {
    html: markup`${head}<p style="margin:0;font-size:28px;font-weight:600;color:${colour}">${value}</p><p style="margin:0;color:#656d73">${target}</p>`,
    text: `${title || kpi.name}: ${value} (${target})`,
    attachments: [],
  };
}

/** A text alternative of a figure, for readers without images. */
function sayFigure(figure: Figure): string {
  const { style } = figure;
  switch (figure.kind) {
    case "number": {
      const change = changeOf(figure.mark.value, figure.before?.value);
      const words = formatValue(figure.mark.value, style);
      return change === null ? words : `${words} (${formatChange(change)})`;
    }
    case "bars":
      return figure.bars
        .slice(0, TABLE_ROWS_MAX)
        .map(({ label, mark }) => `${label}: ${formatValue(mark.value, style)}`)
        .join("\n");
    case "funnel":
      return figure.steps
        .map(({ name, mark }) => `${name}: ${formatValue(mark.value, style)}`)
        .join("\n");
    case "course":
      return figure.series
        .map(({ name, marks }) => `${name}: ${formatValue(marks.at(-1)?.value, style)} at the end`)
        .concat(figure.omitted ?? [])
        .join("\n");
    case "grid":
    case "table":
      return figure.kind === "grid"
        ? `${figure.rows.length} by ${figure.columns.length}`
        : `${figure.rows.length} rows`;
  }
}

const CELL = "padding:4px 10px;border-bottom:1px solid #dfe4e6";

/** The table of a figure without an image. */
function tableOf(figure: Figure): Markup {
  if (figure.kind === "number") {
    const { mark, before, target, better, style } = figure;
    const change = changeOf(mark.value, before?.value);
    const notes = [
      ...(target === undefined
        ? []
        : [`Target ${better === "up" ? "≥" : "≤"} ${formatValue(target, style)}`]),
      ...(change === null
        ? []
        : [`${formatChange(change)} from ${formatValue(before?.value, style)}`]),
    ];
    return markup`<p style="margin:0;font-size:28px;font-weight:600">${formatValue(mark.value, style)}</p>${notes.length > 0 && markup`<p style="margin:0;color:#656d73">${notes.join(" · ")}</p>`}`;
  }
  const { heads, rows } = cellsOf(figure);
  const left = rows.length - TABLE_ROWS_MAX;
  return markup`<table style="border-collapse:collapse">
<tr>${heads.map((head, n) => markup`<th style="${CELL};text-align:${n === 0 ? "left" : "right"};color:#656d73;font-weight:400">${head}</th>`)}</tr>
${rows.slice(0, TABLE_ROWS_MAX).map((row) => markup`<tr>${row.map((cell, n) => markup`<td style="${CELL};text-align:${n === 0 ? "left" : "right"}">${cell}</td>`)}</tr>`)}
</table>${rows.length === 0 && markup`<p style="margin:4px 0 0;color:#656d73">Nothing in this period.</p>`}${left > 0 && markup`<p style="margin:4px 0 0;color:#656d73">and ${left} more</p>`}`;
}

function cellsOf(figure: Figure): { readonly heads: string[]; readonly rows: string[][] } {
  const { style } = figure;
  if (figure.kind === "grid") {
    const columns = figure.columns.slice(0, TABLE_COLUMNS_MAX);
    const withTotal = figure.total !== undefined;
    const rows = figure.rows.map((name, row) => [
      name,
      ...columns.map((_, n) => formatValue(figure.cells[row]?.[n]?.value, style)),
      ...(withTotal ? [formatValue(figure.rowTotals[row]?.value, style)] : []),
    ]);
    return { heads: ["", ...columns, ...(withTotal ? ["Total"] : [])], rows };
  }
  if (figure.kind !== "table") return { heads: [], rows: [] };
  const columns = figure.columns.slice(0, TABLE_COLUMNS_MAX);
  const rows = figure.rows.map((row) =>
    columns.map(({ name, role }) => {
      const value = row[name];
      return typeof value === "number" && role !== "group"
        ? formatValue(value, style)
        : formatGroup(name, value, figure.source);
    }),
  );
  return { heads: columns.map(({ name, title }) => title ?? toTitle(name)), rows };
}

async function buildCsv(part: MailPart, index: number): Promise<readonly MailAttachment[]> {
  const answer = answerOf(part);
  if (!answer) return [];
  const columns = answer.columns.map(({ name, title, type }) => ({ name, title, kind: type }));
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of fileChunks("csv", columns, answer.rows)) {
    bytes += chunk.length;
    if (bytes > CSV_BYTES_MAX) return [];
    chunks.push(chunk);
  }
  const filename = `${fileName(part.title, index)}.csv`;
  return [{ filename, contentType: "text/csv; charset=utf-8", content: Buffer.concat(chunks) }];
}

function fileName(title: string, index: number): string {
  const plain = title
    .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
    .replaceAll(/^-|-$/g, "")
    .slice(0, 60);
  return plain === "" ? `report-${index + 1}` : plain;
}
