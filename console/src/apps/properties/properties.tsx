import { Copy, Trash2 } from "lucide-react";
import { useMemo } from "react";
import type { ScopeSource } from "../../code/index.ts";
import { type FieldError, Form, isFields, type Schema } from "../../form/index.ts";
import { useColumnOptions } from "../../data/options/column-options.ts";
import type { ComboOption } from "../../ui/overlay/combobox.tsx";
import { Menu } from "../../ui/overlay/menu.tsx";
import { toWords } from "../../ui/words.ts";
import { type Component, type Container, type Draft, readAt, writeAt } from "../draft/draft.ts";
import { KIND_LABELS } from "../draft/catalog.ts";
import type { AppDraft } from "../builder/use-app.ts";
import type { Preview } from "../builder/use-preview.ts";
import type { FieldContext } from "./field-context.ts";
import { drawProperty } from "./property-field.tsx";
import { kindAt, schemaOf, sourceKindAt } from "./schema.ts";
import { Sample } from "./sample.tsx";
import { Button } from "../../ui/form/button.tsx";

interface PropertiesProps {
  readonly app: AppDraft;
  readonly at: string;
  readonly published: Schema | undefined;
  readonly preview: Preview | undefined;
  readonly problems: readonly FieldError[];
  readonly mayEdit: boolean;
  readonly onRemove: () => void;
  readonly onCopy: () => void;
  readonly onWrap: (kind: Container) => void;
}

const WORDS: Readonly<Record<string, string>> = { app: "App", page: "Page", source: "Data source" };

/** The properties of the selected part, generated from the published schema of its type. */
export function Properties(props: PropertiesProps) {
  const { app, at, published, preview, problems, mayEdit } = props;
  const { draft } = app;
  const kind = kindAt(draft, at);
  const sourceKind = sourceKindAt(draft, at);
  const schema = useMemo(
    () => published && schemaOf(published, kind, sourceKind),
    [published, kind, sourceKind],
  );
  const value = at === "/" ? draft : readAt(draft, at);
  const context = useFieldContext(draft, at, preview, published);
  const errors = useMemo(() => {
    const base = at === "/" ? "" : at;
    return problems
      .filter(({ path }) => path === base || path.startsWith(`${base}/`))
      .map(({ path, message }) => ({ path: path.slice(base.length), message }));
  }, [problems, at]);
  const isComponent = !["app", "page", "source", ""].includes(kind);
  const title = WORDS[kind] ?? KIND_LABELS[kind] ?? toWords(kind);
  return (
    <aside className="builder-side" aria-label="Properties">
      <header className="side-head">
        <h2 className="grow cut">{title}</h2>
        {isComponent && mayEdit && <PartMenu {...props} />}
        {kind !== "app" && kind !== "" && mayEdit && (
          <Button
            look="bare"
            isIcon
            type="button"
            aria-label={`Remove ${title.toLowerCase()}`}
            title="Remove"
            onClick={props.onRemove}
          >
            <Trash2 />
          </Button>
        )}
      </header>
      <div className="side-body scroll" tabIndex={0} role="region" aria-label="Fields">
        {schema && isFields(value) ? (
          <Form
            key={at}
            schema={schema}
            value={value}
            errors={errors}
            hasSummary={false}
            isDense
            isDisabled={!mayEdit}
            draw={(field) => drawProperty(field, context)}
            onChange={(next, pointer) => {
              const after = at === "/" ? (next as Draft) : writeAt(draft, at, settle(next));
              app.change(after, { field: `${at}${pointer}` });
            }}
          />
        ) : (
          <p className="muted">Select a component in the tree or in the preview.</p>
        )}
        {kind === "source" && isFields(value) && (
          <Sample name={String(value["name"])} preview={preview} />
        )}
      </div>
    </aside>
  );
}

/** Every part of a container has a list of components, including a new one. */
function settle(value: unknown): unknown {
  if (!isFields(value)) return value;
  const type = value["type"];
  if (type !== "tabs" && type !== "columns") return value;
  const parts = value[type];
  if (!Array.isArray(parts)) return value;
  const whole = parts.map((part: unknown) => ({
    ...(type === "tabs" && { title: "New tab" }),
    ...(isFields(part) ? part : {}),
    components: isFields(part) && Array.isArray(part["components"]) ? part["components"] : [],
  }));
  return { ...value, [type]: whole };
}

function PartMenu({ onCopy, onWrap }: PropertiesProps) {
  return (
    <Menu
      label="More actions"
      items={[
        { label: "Copy as JSON", icon: <Copy />, keys: "mod+c", onPick: onCopy },
        { label: "Wrap in columns", onPick: () => onWrap("columns"), isApart: true },
        { label: "Wrap in tabs", onPick: () => onWrap("tabs") },
        { label: "Wrap in modal", onPick: () => onWrap("modal") },
      ]}
    >
      ···
    </Menu>
  );
}

/** Returns the values for bindings and the options for pickers. */
function useFieldContext(
  draft: Draft,
  at: string,
  preview: Preview | undefined,
  published: Schema | undefined,
): FieldContext {
  const scope = preview?.scope;
  const value = readAt(draft, at === "/" ? "" : at);
  const beside = isFields(value) ? value : {};
  const own = beside["dataSource"] ?? beside["name"];
  const name = typeof own === "string" ? own : "";
  const rows = rowsOf(scope, name);
  const fields = useMemo(() => fieldsOf(rows[0]), [rows]);
  const table = draft.dataSources.find((source) => source.name === name)?.config["table"];
  const { options } = useColumnOptions(typeof table === "string" ? table : undefined);
  const sources = useMemo((): readonly ScopeSource[] => {
    const own = Object.entries(scope ?? {}).flatMap(([root, all]) =>
      root === "data" && isFields(all)
        ? Object.entries(all).map(([source, rows2]) => ({
            path: `data.${source}`,
            title: source,
            value: rows2,
          }))
        : [{ path: root, title: root, value: all }],
    );
    return rows[0] === undefined ? own : [...own, { path: "row", title: "row", value: rows[0] }];
  }, [scope, rows]);
  const { config } = beside as Partial<Component>;
  return {
    sources,
    data: draft.dataSources.map((source) => source.name),
    pages: draft.pages,
    fields,
    titleOf: (field) => titleOfField(options, field),
    beside: isFields(config) ? config : beside,
    defs: published?.$defs ?? {},
    draw: drawProperty,
  };
}

/** Returns the title of a column; for a field of a reference, both titles. */
function titleOfField(options: readonly ComboOption[], field: string): string {
  const [first = "", ...rest] = field.split(".");
  const title = options.find(({ value }) => value === first)?.label;
  return title === undefined ? field : [title, ...rest].join(" · ");
}

const NO_ROWS: readonly unknown[] = [];

function rowsOf(scope: unknown, name: string): readonly unknown[] {
  const data = isFields(scope) ? scope["data"] : undefined;
  const rows = isFields(data) ? data[name] : undefined;
  return Array.isArray(rows) ? rows : NO_ROWS;
}

/** Returns the fields of a row, including the fields of referenced records. */
export function fieldsOf(row: unknown): readonly string[] {
  if (!isFields(row)) return [];
  return Object.entries(row).flatMap(([name, value]) =>
    isFields(value) ? [name, ...Object.keys(value).map((inner) => `${name}.${inner}`)] : [name],
  );
}
