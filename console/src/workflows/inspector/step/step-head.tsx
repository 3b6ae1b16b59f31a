import { X } from "lucide-react";
import { type KeyboardEvent, useId, useState } from "react";
import { kindOf } from "../../canvas/step-kinds.ts";
import { changeStep } from "../../graph/edit.ts";
import { idOf, placeOf, type Step, toKey } from "../../graph/graph.ts";
import type { InspectorProps } from "../inspector-props.ts";
import { changeStepId, stepIdError } from "./step-id.ts";
import { Button } from "../../../ui/form/button.tsx";
import { TextInput } from "../../../ui/form/controls.tsx";

export function StepHead(
  props: InspectorProps & { readonly step: Step; readonly stepKey: string },
) {
  const { step, stepKey, definition, mayEdit, onChange } = props;
  const { icon: Icon, tone } = kindOf(step.type);
  const rename = (name: string): void => {
    const { name: _, ...rest } = step;
    const next = name === "" ? rest : { ...rest, name };
    onChange(changeStep(definition, stepKey, step, next), { label: "Rename", field: "name" });
  };
  return (
    <header className="inspector-head">
      <span className={`step-icon k-${tone}`}>
        <Icon />
      </span>
      <span className="grow stack">
        <TextInput
          isBare
          className="inspector-name"
          aria-label="Step name"
          placeholder={step.id}
          value={step.name ?? ""}
          readOnly={!mayEdit}
          onChange={({ target }) => rename(target.value)}
        />
        <StepId key={stepKey} {...props} />
      </span>
      <Button look="bare" isIcon type="button" aria-label="Close" onClick={props.onClose}>
        <X />
      </Button>
    </header>
  );
}

/** The id is used in expressions, so it changes only on blur, together with all references. */
function StepId(props: InspectorProps & { readonly stepKey: string }) {
  const { definition, stepKey, mayEdit, onChange } = props;
  const id = useId();
  const [typed, setTyped] = useState<string>();
  const problem = typed === undefined ? undefined : stepIdError(definition, stepKey, typed);
  const finish = (): void => {
    // An invalid id stays in the field and shows the error.
    if (problem !== undefined) return;
    if (typed !== undefined && typed !== idOf(stepKey)) {
      onChange(changeStepId(definition, stepKey, typed), {
        label: "Change ID",
        field: "id",
        stepKey: toKey(placeOf(stepKey), typed),
      });
    }
    setTyped(undefined);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") setTyped(undefined);
    else if (event.key === "Enter") finish();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <span className="inspector-id mono">
      steps.
      <TextInput
        isBare
        aria-label="Step ID"
        aria-invalid={problem === undefined ? undefined : true}
        aria-describedby={problem === undefined ? undefined : id}
        value={typed ?? idOf(stepKey)}
        readOnly={!mayEdit}
        size={Math.max(4, (typed ?? idOf(stepKey)).length)}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={onKeyDown}
        onBlur={finish}
      />
      {problem !== undefined && (
        <span id={id} className="form-error">
          {problem}
        </span>
      )}
    </span>
  );
}
