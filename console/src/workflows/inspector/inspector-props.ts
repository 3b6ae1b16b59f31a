import type { Definition } from "../graph/graph.ts";
import type { RunView } from "../graph/run-view.ts";
import type { DefinitionProblem } from "./problems.ts";

/** One act of the history: acts on one field without a pause are one. */
export interface InspectorAct {
  readonly label: string;
  readonly field: string;
  /** The step's key from now on, when its id was changed. */
  readonly stepKey?: string;
}

export interface InspectorProps {
  readonly workflowId: string;
  readonly definition: Definition;
  /** Undefined, or the trigger's own key, is the trigger. */
  readonly stepKey: string | undefined;
  readonly onChange: (next: Definition, act: InspectorAct) => void;
  readonly run: RunView;
  /** The run that is shown; tests of a step see its values. */
  readonly runId?: string | undefined;
  /** The shown run's `trigger`, as expressions see it. */
  readonly trigger?: unknown;
  /** The chosen item of each loop. */
  readonly items?: ReadonlyMap<string, number>;
  /** As `workflows.validate` gives them, by JSON pointer into the definition. */
  readonly problems: readonly DefinitionProblem[];
  /** Errors that steps fail with in tests, by key; held by whoever tests the whole workflow, too. */
  readonly mockErrors?: ReadonlyMap<string, string>;
  readonly onMockError?: (key: string, message: string | undefined) => void;
  /** Saves the draft; false where it could not be saved. */
  readonly onSave?: () => Promise<boolean>;
  readonly mayEdit: boolean;
  readonly onClose: () => void;
}
