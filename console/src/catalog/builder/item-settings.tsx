import { type Schemas, useOp } from "../../data/api.ts";
import { useWorkflowName, useWorkflowSearch } from "../../data/options/searches.ts";
import { useMay } from "../../data/people.ts";
import { Field } from "../../ui/field.tsx";
import { Combobox } from "../../ui/overlay/combobox.tsx";
import { ApprovalFields } from "./approval-fields.tsx";
import type { ItemChange } from "./use-item-draft.ts";
import { CheckBox, Select, TextInput } from "../../ui/form/controls.tsx";

type Item = Schemas["CatalogItem"];
type TextName = "name" | "description" | "category" | "estimate" | "price";

const TEXTS: readonly { name: TextName; label: string; help?: string; max: number }[] = [
  { name: "name", label: "Name", max: 200 },
  { name: "description", label: "Description", max: 10_000 },
  {
    name: "category",
    label: "Category",
    help: "Items of the same category are shown together. Example: Hardware",
    max: 100,
  },
  {
    name: "estimate",
    label: "Delivery time",
    help: "Shown to requesters. Example: two working days",
    max: 100,
  },
  { name: "price", label: "Price", help: "Shown to requesters. Example: 1,200 EUR", max: 100 },
];

/** The settings of an item besides its form: audience, approval and fulfilment. */
export function ItemSettings(props: {
  readonly item: Item;
  readonly onChange: (change: ItemChange) => void;
}) {
  const { item, onChange } = props;
  const workflows = useWorkflowSearch();
  const workflow = useWorkflowName(item.workflowId ?? undefined);
  return (
    <div className="cat-settings">
      <h2>Catalog item</h2>
      {TEXTS.map(({ name, label, help, max }) => (
        <Field key={name} label={label} help={help} isOptional={name !== "name"}>
          {(attributes) => (
            <TextInput
              {...attributes}
              maxLength={max}
              value={item[name] ?? ""}
              onChange={({ target: { value } }) =>
                onChange({ [name]: value === "" && /estimate|price/.test(name) ? null : value })
              }
            />
          )}
        </Field>
      ))}
      <Field label="Visible to">
        {(attributes) => (
          <Select
            {...attributes}
            value={item.visibility ?? "everyone"}
            onChange={({ target }) =>
              onChange({ visibility: target.value === "staff" ? "staff" : "everyone" })
            }
          >
            <option value="everyone">Everyone</option>
            <option value="staff">Members who can see all requests</option>
          </Select>
        )}
      </Field>
      <label className="cat-check">
        <CheckBox
          checked={item.featured === true}
          onChange={({ target }) => onChange({ featured: target.checked })}
        />
        Show on the portal start page
      </label>
      <ApprovalFields approval={item.approval} onChange={(approval) => onChange({ approval })} />
      <Field label="Fulfilled by" help="Select a deployed workflow. Default: manually" isOptional>
        {({ id }) => (
          <Combobox
            id={id}
            label="Fulfilled by"
            placeholder="Manually"
            {...workflows}
            chosen={workflow}
            value={item.workflowId ?? undefined}
            onChange={(workflowId) => onChange({ workflowId: workflowId ?? null })}
          />
        )}
      </Field>
      {item.workflowId !== null && <StepApprovalNote workflowId={item.workflowId} />}
    </div>
  );
}

/** Explains that approval steps in a workflow decide only about the run, and not about the request. */
function StepApprovalNote({ workflowId }: { readonly workflowId: string }) {
  const enabled = useMay()("workflows.get");
  const { data } = useOp("workflows.get", { params: { id: workflowId } }, { enabled });
  const nodes = data?.data.nodes ?? [];
  if (!nodes.some(({ type }) => type === "approval")) return null;
  return (
    <p className="notice" role="note">
      This workflow has an approval step. If it is rejected, the request is not rejected: its tasks
      continue and it stays open. Use approvers on this page instead, or end the rejected branch
      with a Fail step.
    </p>
  );
}
