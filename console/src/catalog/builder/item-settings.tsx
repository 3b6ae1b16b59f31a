import { CATALOG_ITEM_VISIBILITY } from "@millrace/client/enums";
import { useOp } from "../../data/api.ts";
import { SearchField } from "../../data/options/search-field.tsx";
import { useWorkflowName, useWorkflowSearch } from "../../data/options/searches.ts";
import { useMay } from "../../data/people.ts";
import { CheckField, SelectField } from "../../ui/form/choice-field.tsx";
import { choicesOf } from "../../ui/form/choices.ts";
import { TextField } from "../../ui/form/text-field.tsx";
import { ApprovalFields } from "./approval-fields.tsx";
import type { ItemForm } from "./use-item-form.ts";

const VISIBILITY = choicesOf(CATALOG_ITEM_VISIBILITY, {
  everyone: "Everyone",
  staff: "Members who can see all requests",
});

/** The settings of an item besides its form: audience, approval and fulfilment. */
export function ItemSettings({ form }: { readonly form: ItemForm }) {
  const { field } = form;
  const { workflowId, approval } = form.values;
  const workflows = useWorkflowSearch();
  const workflow = useWorkflowName(workflowId ?? undefined);
  return (
    <div className="cat-settings">
      <h2>Catalog item</h2>
      <TextField {...field("name")} />
      <TextField {...field("description")} />
      <TextField
        {...field("category")}
        help="Items of the same category are shown together. Example: Hardware"
      />
      <TextField
        {...field("estimate")}
        label="Delivery time"
        help="Shown to requesters. Example: two working days"
      />
      <TextField {...field("price")} help="Shown to requesters. Example: 1,200 EUR" />
      <SelectField {...field("visibility")} label="Visible to" options={VISIBILITY} isRequired />
      <CheckField {...field("featured")} label="Show on the portal start page" />
      {approval && (
        <ApprovalFields approval={approval} onChange={(next) => form.change({ approval: next })} />
      )}
      <SearchField
        {...field("workflowId")}
        label="Fulfilled by"
        help="Select a deployed workflow. Default: manually"
        placeholder="Manually"
        found={workflows}
        chosen={workflow}
      />
      {workflowId && <StepApprovalNote workflowId={workflowId} />}
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
