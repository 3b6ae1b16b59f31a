import "../../ui/display/item-chip.css";
import type { Form } from "../../data/form/use-form.ts";
import { useNames } from "../../data/names/names.ts";
import { PersonCombobox } from "../../data/options/person-combobox.tsx";
import { useMe } from "../../data/people.ts";
import { Field } from "../../ui/field.tsx";
import { PlainButton } from "../../ui/form/button.tsx";
import { NumberField } from "../../ui/form/number-field.tsx";
import { Row } from "../../ui/layout/layout.tsx";
import type { ChangeDraft } from "./change-draft.ts";

const APPROVALS_MAX = 10;

/** The approvers: named people or everyone with permission, and the number of required votes. */
export function ApproverFields({ form }: { readonly form: Form<ChangeDraft> }) {
  const { approverIds, type } = form.values;
  const me = useMe()?.user.id;
  const nameOf = useNames();
  const { onChange } = form.field("approverIds");
  // The body combines approvers and required votes in one field.
  const [fault] = form.errorsOf("approval");
  return (
    <>
      <Field
        label="Approvers"
        isOptional
        error={fault && `Approvers: ${fault.message}`}
        help={
          approverIds.length === 0 ? "Default: all members who can approve changes." : undefined
        }
      >
        {({ id }) => (
          <Row wraps>
            {approverIds.map((one) => (
              <span key={one} className="item-chip">
                {nameOf(one) ?? "Unknown user"}
                <PlainButton
                  type="button"
                  aria-label={`Remove ${nameOf(one) ?? "approver"}`}
                  onClick={() => onChange(approverIds.filter((other) => other !== one))}
                >
                  ×
                </PlainButton>
              </span>
            ))}
            <PersonCombobox
              key={approverIds.length}
              id={id}
              label="Add approver"
              placeholder="Add approver…"
              without={[...approverIds, ...(me === undefined ? [] : [me])]}
              value={undefined}
              onChange={(value) => value !== undefined && onChange([...approverIds, value])}
            />
          </Row>
        )}
      </Field>
      {type !== "emergency" && (
        <NumberField
          {...form.field("approvals")}
          label="Required approvals"
          isRequired
          limits={{ type: "integer", minimum: 1, maximum: approverIds.length || APPROVALS_MAX }}
        />
      )}
    </>
  );
}
