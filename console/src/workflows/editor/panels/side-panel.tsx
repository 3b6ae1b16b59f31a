import { X } from "lucide-react";
import { lazy, type ReactNode, Suspense } from "react";
import type { Schemas } from "../../../data/api.ts";
import { Loading } from "../../../ui/feedback.tsx";
import { type Definition, findStep } from "../../graph/graph.ts";
import { TRIGGER } from "../../graph/layout.ts";
import type { Problem } from "../../graph/problems.ts";
import type { Draft } from "../draft/use-draft.ts";
import type { ShownRun } from "../run/use-shown-run.ts";
import type { Edits } from "../use-edits.ts";
import { ProblemList } from "./problem-list.tsx";

const JsonPanel = lazy(async () => {
  const { JsonPanel: component } = await import("./json-panel.tsx");
  return { default: component };
});
const VersionsPanel = lazy(async () => {
  const { VersionsPanel: component } = await import("../../versions/versions-panel.tsx");
  return { default: component };
});

interface SidePanelProps {
  readonly id: string;
  readonly definition: Definition;
  readonly draft: Draft;
  readonly workflow: Schemas["Workflow"];
  readonly chosen: readonly string[];
  readonly choose: (keys: readonly string[]) => void;
  readonly edits: Edits;
  readonly shown: ShownRun;
  readonly problems: readonly Problem[];
  readonly panel: string | undefined;
  readonly locked: string | undefined;
  readonly cannotDeploy: string | undefined;
  readonly onJump: (problem: Problem) => void;
  readonly onPanel: (panel: string | undefined) => void;
}

/** What stands beside the canvas: a panel that was asked for, or the fields of the chosen step. */
export function SidePanel(props: SidePanelProps) {
  const { panel, chosen, definition, problems, onPanel } = props;
  const close = (): void => onPanel(undefined);
  if (panel === "problems") {
    return (
      <Side title="Problems" onClose={close}>
        <ProblemList problems={problems} definition={definition} onJump={props.onJump} />
      </Side>
    );
  }
  if (panel === "json") {
    return (
      <Side title="JSON" isWide onClose={close}>
        <JsonPanel {...props} />
      </Side>
    );
  }
  if (panel === "versions") {
    return (
      <Side title="Versions" onClose={close}>
        <VersionsPanel
          {...props}
          onTake={(after, label) => props.draft.act({ label, after, chosen: [] })}
        />
      </Side>
    );
  }
  const [key] = chosen;
  if (key === undefined || chosen.length > 1) return null;
  const step = findStep(definition, key);
  return (
    <Side
      title={key === TRIGGER ? "Trigger" : (step?.name ?? key)}
      onClose={() => props.choose([])}
    >
      <p className="muted side-none">{step?.type}</p>
    </Side>
  );
}

function Side(props: {
  readonly title: string;
  readonly isWide?: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  return (
    <aside
      className={`editor-side${props.isWide ? " wide" : ""}`}
      aria-label={props.title}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.preventDefault();
        document.querySelector<HTMLElement>(".canvas")?.focus();
      }}
    >
      <header>
        <h2 className="cut">{props.title}</h2>
        <span className="grow" />
        <button className="btn bare icon" aria-label="Close" onClick={props.onClose}>
          <X />
        </button>
      </header>
      <Suspense fallback={<Loading />}>{props.children}</Suspense>
    </aside>
  );
}
