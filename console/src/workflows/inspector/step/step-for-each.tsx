/** Runs a step once for each element of a list: selects the list and the concurrency. */
import type { ScopeSource } from "../../../code/index.ts";
import { Form, type Schema } from "../../../form/index.ts";
import { Unfold } from "../../../ui/overlay/unfold.tsx";
import { bodyOf, type Step } from "../../graph/graph.ts";
import type { DefinitionProblem } from "../problems.ts";
import { AnyValue } from "../values/value-field.tsx";
import { Button } from "../../../ui/form/button.tsx";

type ForEach = NonNullable<Step["forEach"]>;

const SCHEMA: Schema = {
  type: "object",
  required: ["items"],
  properties: {
    items: {
      title: "Items",
      description:
        "A list or an expression that returns a list. Example: {{ trigger.input.orders }}",
    },
    as: {
      type: "string",
      title: "Item variable",
      "x-placeholder": "item",
      description: "Name of the current item in expressions. Example: order",
    },
    concurrency: { type: "integer", title: "Concurrency", minimum: 1, maximum: 100, default: 1 },
    ratePerSecond: { type: "number", title: "Maximum items per second", maximum: 1_000 },
    collect: { type: "boolean", title: "Collect outputs", default: true },
  },
};

interface StepForEachProps {
  readonly step: Step;
  readonly sources: readonly ScopeSource[];
  readonly problems: readonly DefinitionProblem[];
  readonly mayEdit: boolean;
  readonly onChange: (step: Step, field: string) => void;
}

export function StepForEach({ step, sources, problems, mayEdit, onChange }: StepForEachProps) {
  const { forEach, ...rest } = step;
  // A step with inner steps is already a loop.
  if (bodyOf(step) && !forEach) return null;
  const own = problems.flatMap(({ path, message }) =>
    path.startsWith("/forEach") ? [{ path: path.slice("/forEach".length), message }] : [],
  );
  return (
    <Unfold
      className="inspector-more"
      isOpen={forEach !== undefined}
      summary={
        <>
          Loop over items <span className="muted">{forEach ? describe(forEach) : ""}</span>
        </>
      }
    >
      <Form
        schema={SCHEMA}
        value={forEach ?? {}}
        errors={own}
        hasSummary={false}
        isDense
        isDisabled={!mayEdit}
        draw={(field) =>
          field.at === "/items" ? <AnyValue field={field} sources={sources} /> : undefined
        }
        onChange={(next, pointer) =>
          onChange({ ...rest, forEach: next as ForEach }, `forEach${pointer}`)
        }
      />
      {forEach && mayEdit && (
        <Button type="button" onClick={() => onChange(rest, "forEach")}>
          Run once
        </Button>
      )}
    </Unfold>
  );
}

const describe = ({ concurrency = 1 }: ForEach): string =>
  concurrency === 1 ? "one at a time" : `${concurrency} at a time`;
