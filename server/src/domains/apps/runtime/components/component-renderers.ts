/**
 * Renders each type of component after its expressions are evaluated. Its fields were validated when it was saved;
 * the value of an expression may be of any type, and is converted to text for display.
 */
import { toFormInput } from "#kernel/html/form/form-field.ts";
import { childrenOf } from "../../definition/component.ts";
import { rowsOf } from "../sources/load-sources.ts";
import { renderBoard, renderCalendar } from "./board.ts";
import { labelsOfSource } from "./column-titles.ts";
import { renderChart } from "./chart.ts";
import { renderForm } from "./form.ts";
import { type RenderContext, type RenderedComponent, sourceValue } from "./render-context.ts";
import { renderTable } from "./table.ts";
import {
  cellValue,
  displayFields,
  inputValue,
  toButton,
  toList,
  toOptions,
  toText,
} from "./values.ts";

type ComponentRenderer = (ctx: RenderContext) => Promise<RenderedComponent> | RenderedComponent;

export const componentRenderers: Readonly<Record<string, ComponentRenderer>> = {
  text: ({ props }) => ({
    type: "text",
    text: toText(props["text"]),
    style: toText(props["style"] ?? "body"),
  }),
  markdown: async ({ props, markdown }) => ({
    type: "markdown",
    content: await markdown.render(toText(props["text"])),
  }),
  table: renderTable,
  form: renderForm,
  board: renderBoard,
  calendar: renderCalendar,
  chart: renderChart,
  detail: async ({ props, ...ctx }) => {
    const labelOf = await labelsOfSource(ctx.session, ctx.component);
    const [row] = rowsOf(sourceValue(ctx));
    const fields =
      row === undefined
        ? null
        : displayFields(props["fields"], [row], labelOf).map(({ field, label, format }) => ({
            label,
            format,
            value: cellValue(row, field),
          }));
    return { type: "detail", title: toText(props["title"]), fields };
  },
  image: ({ props }) => ({
    type: "image",
    src: findAddress(props["src"]),
    alt: toText(props["alt"]),
    width: toText(props["width"] ?? "medium"),
  }),
  // Replaces a component of a draft that cannot be rendered.
  problem: ({ props }) => ({ type: "failed", error: toText(props["message"]) }),
  button: ({ props }) => ({ type: "button", ...toButton(props) }),
  stat: ({ props }) => ({
    type: "stat",
    label: toText(props["label"]),
    value: props["value"] ?? null,
    format: toText(props["format"] ?? "text"),
  }),
  tabs: async ({ props, component, renderChildren }) => {
    const titles = toList(props["tabs"]);
    const tabs = [];
    for (const [index, { pointer, components }] of childrenOf(component).entries()) {
      const { title } = Object(titles[index]) as { title?: unknown };
      tabs.push({ title: toText(title), components: await renderChildren(pointer, components) });
    }
    return { type: "tabs", tabs };
  },
  columns: async ({ props, component, renderChildren }) => {
    const widths = toList(props["columns"]);
    const columns = [];
    for (const [index, { pointer, components }] of childrenOf(component).entries()) {
      const { width } = Object(widths[index]) as { width?: unknown };
      columns.push({
        width: Number(width ?? 0),
        components: await renderChildren(pointer, components),
      });
    }
    return { type: "columns", columns };
  },
  modal: async ({ props, component, renderChildren }) => {
    const [only] = childrenOf(component);
    const components = only ? await renderChildren(only.pointer, only.components) : [];
    const { title, openLabel } = props;
    return { type: "modal", title: toText(title), openLabel: toText(openLabel), components };
  },
  input: ({ props, scope }) => {
    const { name, label, input = "text" } = props;
    const value = inputValue(scope, String(name));
    return {
      type: "input",
      name: toText(name),
      label: toText(label),
      input: toFormInput(input),
      value,
    };
  },
  select: ({ props, scope }) => {
    const { name, label, options } = props;
    const value = inputValue(scope, String(name));
    return {
      type: "select",
      name: toText(name),
      label: toText(label),
      options: toOptions(options),
      value,
    };
  },
};

/** The URL of a file that was read with its record, or a local path: a page loads nothing from other origins. */
function findAddress(source: unknown): string | null {
  const [file] = toList(source);
  const { url } = Object(file) as { readonly url?: unknown };
  const path = toText(url ?? file);
  return /^\/(?![/\\])/.test(path) ? path : null;
}
