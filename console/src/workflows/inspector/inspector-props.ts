import type { Definition } from "../graph/graph.ts";
import type { RunView } from "../graph/run-view.ts";
import type { DefinitionProblem } from "./problems.ts";

/** One entry of the history: edits of the same field without a pause are merged. */
export interface InspectorAct {
  readonly label: string;
  readonly field: string;
  /** The new key of the step if its id was changed. */
  readonly stepKey?: string;
}

export interface InspectorProps {
  readonly workflowId: string;
  readonly definition: Definition;
  /** Undefined or the trigger's key means the trigger. */
  readonly stepKey: string | undefined;
  readonly onChange: (next: Definition, act: InspectorAct) => void;
  readonly run: RunView;
  /** The shown run; step tests can use its values. */
  readonly runId?: string | undefined;
  /** The `trigger` value of the shown run, for expressions. */
  readonly trigger?: unknown;
  /** The selected item of each loop. */
  readonly items?: ReadonlyMap<string, number>;
  /** From `workflows.validate`, with JSON pointers into the definition. */
  readonly problems: readonly DefinitionProblem[];
  /** Errors that steps fail with in tests, by key; shared with tests of the whole workflow. */
  readonly mockErrors?: ReadonlyMap<string, string>;
  readonly onMockError?: (key: string, message: string | undefined) => void;
  /** Saves the draft; resolves to false if that failed. */
  readonly onSave?: () => Promise<boolean>;
  readonly mayEdit: boolean;
  readonly onClose: () => void;
}
