import "./versions.css";
import { ArrowRight } from "lucide-react";
import { type ReactNode, useMemo, useState } from "react";
import { count } from "../../ui/words.ts";
import { Canvas } from "../canvas/canvas.tsx";
import type { CanvasView } from "../canvas/canvas-nodes.ts";
import type { CardHandlers } from "../canvas/step-card.tsx";
import { kindOf } from "../canvas/step-kinds.ts";
import { type Difference, type FieldChange, type Mark, type StepChange } from "../graph/diff.ts";
import { UNFOLDED } from "../graph/layout.ts";
import { NO_RUN } from "../graph/run-view.ts";
import { PlainButton } from "../../ui/form/button.tsx";

const SIGNS = { added: "+", removed: "−", changed: "~" } as const;
const TONES = { added: "ok", removed: "bad", changed: "warn" } as const;
const MARKS = ["changed", "added", "removed"] as const;
const NOTHING: readonly string[] = [];
const idle = (): void => undefined;
const HANDLERS: CardHandlers = {
  onFold: idle,
  onAdd: idle,
  onItem: idle,
  onLink: idle,
  onOpenWorkflow: idle,
};
const PLAIN: CanvasView = {
  run: NO_RUN,
  items: new Map(),
  problems: new Map(),
  pinned: new Set(),
};

interface DifferenceViewProps {
  readonly difference: Difference;
  readonly title?: string;
  /** Additional content above and below the list of changes. */
  readonly above?: ReactNode;
  readonly below?: ReactNode;
  /** Replaces the list of changes. */
  readonly instead?: ReactNode;
}

/** The differences between two definitions: on one canvas, and as a list with fields side by side. */
export function DifferenceView(props: DifferenceViewProps) {
  const { difference } = props;
  const [chosen, setChosen] = useState<string>();
  const key = chosen ?? difference.changes[0]?.key;
  const keys = useMemo(() => (key === undefined ? NOTHING : [key]), [key]);
  const view = useMemo<CanvasView>(
    () => ({ ...PLAIN, marks: difference.marks, edgeMarks: difference.edges }),
    [difference],
  );
  return (
    <div className="difference">
      <div className="difference-canvas">
        <Canvas
          definition={difference.union}
          folding={UNFOLDED}
          view={view}
          chosen={keys}
          handlers={HANDLERS}
          isReadOnly
          onChoose={([first]) => setChosen(first)}
        />
      </div>
      <aside className="difference-side scroll" aria-label="Changes">
        {props.above}
        {props.instead ?? (
          <section>
            <h2>{props.title ?? sumUp(difference)}</h2>
            <ChangeList changes={difference.changes} chosen={key} onChoose={setChosen} />
            {difference.settings.length > 0 && (
              <>
                <h3>Workflow settings</h3>
                <FieldChanges fields={difference.settings} />
              </>
            )}
          </section>
        )}
        {props.below}
      </aside>
    </div>
  );
}

export function ChangeList(props: {
  readonly changes: readonly StepChange[];
  readonly chosen?: string | undefined;
  readonly onChoose?: (key: string) => void;
}) {
  const { changes, chosen, onChoose } = props;
  return (
    <ul className="changes">
      {changes.map(({ key, mark, step, fields }) => {
        const { icon: Icon } = kindOf(step.type);
        return (
          <li key={key}>
            <PlainButton aria-pressed={key === chosen} onClick={() => onChoose?.(key)}>
              <Sign mark={mark} />
              <Icon className="ico" />
              <span className="cut grow">{step.name ?? step.id}</span>
              <span className="change-what cut">{nameFields(mark, fields)}</span>
            </PlainButton>
            {key === chosen && fields.length > 0 && <FieldChanges fields={fields} />}
          </li>
        );
      })}
    </ul>
  );
}

export function Sign({ mark }: { readonly mark: Mark }) {
  return (
    <i className={`sign ${TONES[mark]}`} aria-label={mark} role="img">
      {SIGNS[mark]}
    </i>
  );
}

function nameFields(mark: Mark, fields: readonly FieldChange[]): string {
  const names = fields.map(({ path }) => path.replace("config.", "").split(".")[0]);
  return names.length > 0 ? [...new Set(names)].join(", ") : mark;
}

export function FieldChanges({ fields }: { readonly fields: readonly FieldChange[] }) {
  return (
    <div className="field-changes">
      {fields.map(({ path, before, after }) => (
        <div key={path}>
          <span className="mono muted">{path.replace("config.", "")}</span>
          <div className="sides">
            <pre className="was" tabIndex={0} aria-label="Before">
              {toText(before)}
            </pre>
            <ArrowRight className="ico" aria-hidden="true" />
            <pre className="now" tabIndex={0} aria-label="After">
              {toText(after)}
            </pre>
          </div>
        </div>
      ))}
    </div>
  );
}

function toText(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value, null, 1) ?? "not set";
}

/** Formats a summary: `2 changed, 1 added`. */
export function sumUp({ changes, edges, settings }: Difference): string {
  const words = MARKS.flatMap((mark) => {
    const n = changes.filter((change) => change.mark === mark).length;
    return n > 0 ? [`${n} ${mark}`] : [];
  });
  if (words.length > 0) return words.join(", ");
  if (edges.size > 0) return `Only ${count(edges.size, "connection")} differ`;
  return settings.length > 0 ? "Only workflow settings differ" : "No changes";
}
