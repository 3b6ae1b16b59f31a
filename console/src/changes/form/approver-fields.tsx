import "../../ui/display/item-chip.css";
import { useNames } from "../../data/names/names.ts";
import { PersonCombobox } from "../../data/options/person-combobox.tsx";
import { useMe } from "../../data/people.ts";
import { Field } from "../../ui/field.tsx";
import type { ChangeDraft } from "./change-draft.ts";
import { PlainButton } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

const APPROVALS_MAX = 10;

/** People who decide: those who are named, or everyone who may; and how many of them it takes. */
export function ApproverFields(props: {
  readonly draft: ChangeDraft;
  readonly fault: string | undefined;
  readonly onChange: (next: Partial<ChangeDraft>) => void;
}) {
  const { approverIds, approvals, type } = props.draft;
  const me = useMe()?.user.id;
  const nameOf = useNames();
  return (
    <>
      <Field
        label="Approvers"
        isOptional
        error={props.fault}
        help={
          approverIds.length === 0
            ? "Everyone who may approve changes, unless you name some."
            : undefined
        }
      >
        {({ id }) => (
          <div className="change-approvers">
            {approverIds.map((one) => (
              <span key={one} className="item-chip">
                {nameOf(one) ?? "Somebody"}
                <PlainButton
                  type="button"
                  aria-label={`Without ${nameOf(one) ?? "them"}`}
                  onClick={() =>
                    props.onChange({ approverIds: approverIds.filter((other) => other !== one) })
                  }
                >
                  ×
                </PlainButton>
              </span>
            ))}
            <PersonCombobox
              key={approverIds.length}
              id={id}
              label="Add an approver"
              placeholder="Add an approver…"
              without={[...approverIds, ...(me === undefined ? [] : [me])]}
              value={undefined}
              onChange={(value) =>
                value !== undefined && props.onChange({ approverIds: [...approverIds, value] })
              }
            />
          </div>
        )}
      </Field>
      {type !== "emergency" && (
        <Field label="Approvals needed">
          {(attributes) => (
            <TextInput
              {...attributes}
              className="change-count"
              type="number"
              min={1}
              max={approverIds.length || APPROVALS_MAX}
              value={approvals}
              onChange={({ target }) => props.onChange({ approvals: Number(target.value) || 1 })}
            />
          )}
        </Field>
      )}
    </>
  );
}
