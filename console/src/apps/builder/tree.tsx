/**
 * The structure of the app: pages with their components, and data sources. Items are selected, moved and nested
 * with mouse or keyboard.
 */
import { ChevronRight, Database, FileText, GripVertical, Plus, Settings2 } from "lucide-react";
import { type DragEvent, type KeyboardEvent, type ReactNode, useState } from "react";
import { ICONS } from "../draft/catalog.ts";
import { childrenOf, type Component, type Draft, moveTo, pageOf, placeOf } from "../draft/draft.ts";
import { kindWords, labelOfComponent } from "../draft/words.ts";
import type { AppDraft } from "./use-app.ts";
import { Button } from "../../ui/form/button.tsx";

interface TreeProps {
  readonly app: AppDraft;
  readonly at: string;
  /** JSON pointers with problems. */
  readonly broken: readonly string[];
  readonly rowsOf: (source: string) => string | undefined;
  readonly mayEdit: boolean;
  readonly onAdd: () => void;
  readonly onAddPage: () => void;
  readonly onAddSource: () => void;
}

interface RowProps {
  readonly pointer: string;
  readonly depth: number;
  readonly icon: ReactNode;
  readonly label: string;
  readonly hint?: string | undefined;
}

export function Tree(props: TreeProps) {
  const { app, at, broken, rowsOf, mayEdit } = props;
  const { draft, choose } = app;
  const [over, setOver] = useState<string>();
  const row = ({ pointer, depth, icon, label, hint }: RowProps, drag?: boolean) => (
    <div
      key={pointer}
      role="treeitem"
      tabIndex={at === pointer ? 0 : -1}
      aria-level={depth + 1}
      aria-selected={at === pointer}
      className={`tree-row d${Math.min(depth, 8)}${over === pointer ? " over" : ""}`}
      data-at={pointer}
      draggable={drag && mayEdit}
      onClick={() => choose(pointer)}
      onDragStart={(event) => event.dataTransfer.setData(DRAGGED, pointer)}
      onDragOver={(event) => {
        if (!drag || !event.dataTransfer.types.includes(DRAGGED)) return;
        event.preventDefault();
        setOver(pointer);
      }}
      onDragLeave={() => setOver(undefined)}
      onDrop={(event) => {
        setOver(undefined);
        drop(app, event, pointer);
      }}
    >
      {icon}
      <span className="grow cut">{label}</span>
      {broken.some((path) => path === pointer || path.startsWith(`${pointer}/`)) && (
        <i className="tree-bad" title="This component has errors" />
      )}
      {hint !== undefined && <span className="tree-hint cut">{hint}</span>}
      {drag && mayEdit && <GripVertical className="tree-grip" />}
    </div>
  );
  return (
    <nav className="builder-tree scroll" aria-label="Components of the app">
      <Head title="Pages" add="Add page" isOff={!mayEdit} onAdd={props.onAddPage} />
      <div
        role="tree"
        aria-label="Pages and components"
        onKeyDown={(event) => walkTree(event, choose)}
      >
        {row({
          pointer: "/",
          depth: 0,
          icon: <Settings2 className="ico" />,
          label: draft.name,
          hint: "app",
        })}
        {draft.pages.map((page, n) => (
          <div key={page.id ?? page.path} role="none">
            {row({
              pointer: `/pages/${n}`,
              depth: 0,
              icon:
                pageOf(at) === n && at.startsWith("/pages") ? (
                  <ChevronRight className="ico open" />
                ) : (
                  <FileText className="ico" />
                ),
              label: page.title,
              hint: page.path,
            })}
            {pageOf(at) === n &&
              branch(page.components, `/pages/${n}/components`, { depth: 1, row })}
          </div>
        ))}
      </div>
      {mayEdit && (
        <Button className="tree-add" type="button" onClick={props.onAdd}>
          <Plus /> Add component <kbd>/</kbd>
        </Button>
      )}
      <Head title="Data sources" add="Add data source" isOff={!mayEdit} onAdd={props.onAddSource} />
      <div role="tree" aria-label="Data sources" onKeyDown={(event) => walkTree(event, choose)}>
        {draft.dataSources.map(({ name, kind }, n) =>
          row({
            pointer: `/dataSources/${n}`,
            depth: 0,
            icon: <Database className="ico" />,
            label: name,
            hint: rowsOf(name) ?? kind,
          }),
        )}
      </div>
    </nav>
  );
}

const DRAGGED = "application/x-millrace-component";

/** Drops a component into a container, or before any other component. */
function drop(app: AppDraft, event: DragEvent, onto: string): void {
  const from = event.dataTransfer.getData(DRAGGED);
  if (from === "" || from === onto) return;
  event.preventDefault();
  const { draft } = app;
  const target = readComponent(draft, onto);
  const inner = target && childrenOf(target).at(-1);
  if (inner) app.apply(moveTo(draft, from, onto + inner.pointer, inner.components.length));
  else {
    const { list, index } = placeOf(onto);
    app.apply(moveTo(draft, from, list, index));
  }
}

function readComponent(draft: Draft, pointer: string): Component | undefined {
  const [, page, ...rest] = /^\/pages\/(\d+)\/components(.*)$/.exec(pointer) ?? [];
  let value: unknown = draft.pages[Number(page)]?.components;
  for (const name of (rest[0] ?? "").split("/").filter(Boolean))
    value = (value as Record<string, unknown> | undefined)?.[name];
  return value as Component | undefined;
}

interface BranchOptions {
  readonly depth: number;
  readonly row: (row: RowProps, drag?: boolean) => ReactNode;
}

function branch(
  components: readonly Component[],
  list: string,
  { depth, row }: BranchOptions,
): ReactNode {
  return components.map((component, n) => {
    const pointer = `${list}/${n}`;
    const Icon = ICONS[component.type] ?? FileText;
    const label = labelOfComponent(component);
    const kind = kindWords(component);
    const lists = childrenOf(component);
    return (
      <div key={pointer} role="none">
        {row(
          {
            pointer,
            depth,
            icon: <Icon className="ico" />,
            label,
            hint: label === kind ? undefined : kind.toLowerCase(),
          },
          true,
        )}
        {lists.map((inner) => (
          <div key={inner.pointer} role="none">
            {lists.length > 1 && (
              <span className={`tree-part d${Math.min(depth + 1, 8)}`}>{inner.title}</span>
            )}
            {branch(inner.components, pointer + inner.pointer, { depth: depth + 1, row })}
          </div>
        ))}
      </div>
    );
  });
}

function Head(props: {
  readonly title: string;
  readonly add: string;
  readonly isOff: boolean;
  readonly onAdd: () => void;
}) {
  return (
    <header className="tree-head">
      <h2>{props.title}</h2>
      <Button
        look="bare"
        isIcon
        type="button"
        aria-label={props.add}
        title={props.add}
        disabled={props.isOff}
        onClick={props.onAdd}
      >
        <Plus />
      </Button>
    </header>
  );
}

/** Arrow keys move, Home and End go to the ends. */
function walkTree(event: KeyboardEvent<HTMLElement>, choose: (at: string) => void): void {
  if (event.altKey || event.metaKey || event.ctrlKey) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=treeitem]")];
  const now = rows.indexOf(document.activeElement as HTMLElement);
  const to = { ArrowDown: now + 1, ArrowUp: now - 1, Home: 0, End: rows.length - 1 }[event.key];
  const next = to === undefined ? undefined : rows[to];
  if (!next) return;
  event.preventDefault();
  event.stopPropagation();
  next.focus();
  choose(next.dataset["at"] ?? "/");
}
