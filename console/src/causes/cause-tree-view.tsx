import { ChevronRight, Code, FileText, type LucideIcon, Radio, Send, Workflow } from "lucide-react";
import { useEffect, useRef } from "react";
import { State, toneOf } from "../ui/state.tsx";
import { count, toDuration, toExactTime, toWords } from "../ui/words.ts";
import type { KnownThing } from "../events/index.ts";
import type { CauseNode, CauseRow } from "./cause-tree.ts";
import { nameResource } from "./known-things.ts";

const ICONS: Readonly<Record<string, LucideIcon>> = {
  event: Radio,
  run: Workflow,
  webhook_delivery: Send,
  execution: Code,
};

interface TreeProps {
  readonly words: CauseWords;
  readonly rows: readonly CauseRow[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
  readonly onFold: (row: CauseRow, isOpen: boolean) => void;
}

/** A tree sorted by time: each node has one cause, which is its parent. */
export function CauseTreeView({ rows, words, chosen, onChoose, onFold }: TreeProps) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    host.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const beginMs = rows[0] ? Date.parse(rows[0].node.at) : 0;
  return (
    <div
      ref={host}
      className="scroll causes-tree"
      role="tree"
      aria-label="Causes and effects"
      tabIndex={0}
      aria-activedescendant={chosen === undefined ? undefined : `cause-${chosen}`}
    >
      {rows.map((row, n) => (
        <div
          key={row.node.id}
          id={`cause-${row.node.id}`}
          role="treeitem"
          aria-level={row.depth + 1}
          aria-expanded={row.hasChildren ? row.isOpen : undefined}
          aria-selected={row.node.id === chosen}
          className="cause-row"
          onClick={() => onChoose(row.node.id)}
        >
          <CauseTime at={row.node.at} before={rows[n - 1]?.node.at} beginMs={beginMs} />
          {row.lines.map((goesOn, level) => (
            <i key={level} className={lineLook(row, level, goesOn)} />
          ))}
          <CauseCard row={row} words={words} onFold={onFold} />
        </div>
      ))}
    </div>
  );
}

function lineLook({ lines, depth }: CauseRow, level: number, goesOn: boolean): string {
  const looks = [
    "cause-line",
    level === lines.length - 1 && "own",
    goesOn && "on",
    level === 0 && (depth === 0 ? "root" : "first"),
  ];
  return looks.filter(Boolean).join(" ");
}

const clock = (at: string): string => new Date(at).toLocaleTimeString("en-GB");

/** The time if it differs from the previous row, and the time since the start. */
function CauseTime(props: {
  readonly at: string;
  readonly before: string | undefined;
  readonly beginMs: number;
}) {
  const shown = clock(props.at);
  const isSame = props.before !== undefined && clock(props.before) === shown;
  const sinceMs = Date.parse(props.at) - props.beginMs;
  return (
    <time className="cause-time" dateTime={props.at} title={toExactTime(props.at)}>
      {isSame ? "" : shown}
      {props.before !== undefined && sinceMs > 0 && <small>+{toDuration(sinceMs)}</small>}
    </time>
  );
}

function CauseCard({
  row,
  words,
  onFold,
}: {
  readonly row: CauseRow;
  readonly words: CauseWords;
  readonly onFold: TreeProps["onFold"];
}) {
  const { node } = row;
  const { fan } = node;
  const kind = fan?.kind ?? node.kind;
  const Icon = ICONS[kind] ?? FileText;
  const canOpen = row.hasChildren || fan?.open === false;
  const looks = ["cause", `is-${kind}`, fan && "fan", node.focus === true && "asked"];
  return (
    <span className={looks.filter(Boolean).join(" ")}>
      <span className="cause-icon">
        <Icon />
      </span>
      <span className="cause-text">
        <b className="cut" title={kind === "event" ? node.type : undefined}>
          {fan && <em>{fan.count.toLocaleString("en")} × </em>}
          {nameNode(node)}
        </b>
        <span className="cut">{describeNode(node, words)}</span>
      </span>
      {fan ? <Split statuses={fan.statuses} /> : node.status && <State state={node.status} />}
      {canOpen && (
        <i
          className={`cause-fold${row.hasChildren && row.isOpen ? " is-open" : ""}`}
          onClick={(event) => {
            event.stopPropagation();
            onFold(row, !(row.hasChildren && row.isOpen));
          }}
        >
          <ChevronRight />
        </i>
      )}
    </span>
  );
}

/** Names an event by its type, and other nodes by their resource. */
export function nameNode({ kind, type, label, fan }: CauseNode): string {
  return (fan?.kind ?? kind) === "event" ? toWords(type) : label;
}

/** The names in a trace: resources by id, and steps. */
export interface CauseWords {
  readonly things: ReadonlyMap<string, KnownThing>;
  readonly nameStep: (runId: string | undefined, stepId: string) => string;
}

function describeNode(node: CauseNode, { things, nameStep }: CauseWords): string {
  const { kind, at, finishedAt, fan, runId, stepId, actor } = node;
  if (fan) return `over ${toDuration(Date.parse(fan.lastAt) - Date.parse(at))}`;
  const took = finishedAt ? toDuration(Date.parse(finishedAt) - Date.parse(at)) : undefined;
  const isEvent = kind === "event";
  const what = isEvent ? nameResource(node, things) : toWords(kind.replace("webhook_", ""));
  const by =
    stepId === undefined ? actor && `by ${actor.name}` : `by step ${nameStep(runId, stepId)}`;
  return [what, took, by].filter(Boolean).join(" · ");
}

/** Shows the share per status in a group. */
export function Split({ statuses }: { readonly statuses: Readonly<Record<string, number>> }) {
  const known = Object.entries(statuses);
  const total = known.reduce((sum, [, n]) => sum + n, 0);
  if (total === 0) return null;
  const words = known
    .map(([state, n]) =>
      known.length === 1 ? toWords(state) : count(n, toWords(state), toWords(state)),
    )
    .join(", ");
  return (
    <span className="cause-split" title={words}>
      <span className="cause-shares" aria-hidden="true">
        {known.map(([state, n]) => (
          <i key={state} className={toneOf(state)} style={{ flexGrow: n }} />
        ))}
      </span>
      <span className="muted cut">{words.toLowerCase()}</span>
    </span>
  );
}
