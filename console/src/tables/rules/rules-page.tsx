/** Edits table access rules, with a preview by role or person before saving. */
import "../table-page.css";
import "./rules.css";
import { Link, useParams } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useMemo } from "react";
import { useOp } from "../../data/api.ts";
import { TableAccess } from "../../data/notices/record-access.tsx";
import { useForm } from "../../data/form/use-form.ts";
import { versionOf } from "../../data/form/version.ts";
import { useActions } from "../../shell/actions.ts";
import { LeaveGuard } from "../../shell/form/leave-guard.tsx";
import { useTitle } from "../../shell/title.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { FormProblems } from "../../ui/form/form-parts.tsx";
import { Keys } from "../../ui/key.tsx";
import { type TableShape, toGridColumns } from "../column/column.ts";
import { NEW_RULE, type Rule, ruleFault } from "./rule-draft.ts";
import { RuleCard } from "./rule-card.tsx";
import { Tester } from "./tester.tsx";
import { Button } from "../../ui/form/button.tsx";

export function RulesPage() {
  const { slug } = useParams({ from: "/inside/tables/$slug/rules" });
  const { data, error, refetch } = useOp("tables.get", { params: { slug } });
  const table = data?.data;
  useTitle(table && `${table.name}: access rules`);
  return (
    <div className="page paper rules-page">
      {error && !table && <ErrorNotice error={error} retry={() => void refetch()} />}
      {!table && !error && <Loading />}
      {table && <RulesScreen key={table.slug} table={table} />}
    </div>
  );
}

function RulesScreen({ table }: { readonly table: TableShape }) {
  const { slug } = table;
  const form = useForm("tables.update", {
    params: { slug },
    initial: toRules({ data: table }),
    version: versionOf("tables.get", { params: { slug } }, toRules),
    said: "Access rules saved.",
  });
  const { refusal } = form;
  const { value, onChange } = form.field("rules");
  const rules: readonly Rule[] = value ?? [];
  const columns = useMemo(() => toGridColumns(table), [table]);
  const roles = useOp("roles.list", { query: { limit: 200 } }).data?.data ?? [];
  const fault = rules.map(ruleFault).find((one) => one !== undefined);
  const put = (at: number, rule: Rule | undefined): void =>
    onChange(rule ? rules.with(at, rule) : rules.toSpliced(at, 1));
  const disabled = refusal ?? fault ?? (form.isDirty ? undefined : "No changes to save.");
  useActions([{ keys: "mod+s", label: "Save", run: form.submit, always: true, disabled }]);
  return (
    <>
      <header className="page-head">
        <h1 className="cut">
          <Link to="/tables/$slug" params={{ slug }}>
            {table.name}
          </Link>
          <span className="muted"> / Access rules</span>
        </h1>
        <span className="grow" />
        {form.isDirty && (
          <Button type="button" onClick={form.reset}>
            Discard changes
          </Button>
        )}
        <Button
          look="main"
          type="button"
          refusal={disabled}
          disabled={form.isBusy}
          onClick={form.submit}
        >
          Save rules <Keys keys="mod+s" />
        </Button>
      </header>
      <div className="rules-body">
        <section className="rules-list scroll" aria-label="Access rules">
          <FormProblems form={form} />
          <TableAccess slug={slug} />
          {rules.length === 0 && (
            <Empty title="No access rules">
              When you add the first rule, only owners and admins can access this table. Each rule
              then grants access to some records.
            </Empty>
          )}
          {rules.map((rule, at) => (
            <RuleCard
              key={at}
              rule={rule}
              columns={columns}
              roles={roles}
              disabled={refusal}
              onChange={(next) => put(at, next)}
            />
          ))}
          <Button refusal={refusal} type="button" onClick={() => onChange([...rules, NEW_RULE])}>
            <Plus /> Add rule
          </Button>
        </section>
        <Tester
          table={table}
          columns={columns}
          roles={roles}
          rules={form.isDirty && fault === undefined ? rules : undefined}
        />
      </div>
      <LeaveGuard form={form} />
    </>
  );
}

const toRules = ({ data: { rules } }: { readonly data: Pick<TableShape, "rules"> }) => ({
  rules: [...rules],
});
