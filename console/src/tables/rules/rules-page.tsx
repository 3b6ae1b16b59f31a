/** The access rules of a table, with a preview as a role or person before saving. */
import "../table-page.css";
import "./rules.css";
import { Link, useParams } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { call, etagOf, useOp } from "../../data/api.ts";
import { TableAccess } from "../../data/notices/record-access.tsx";
import { useRefusal } from "../../data/people.ts";
import { useTitle } from "../../shell/title.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { notify } from "../../ui/toast.tsx";
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
  const refusal = useRefusal("tables.update");
  const [ifMatch, setIfMatch] = useState(() => etagOf("tables.get", { params: { slug } }));
  const [rules, setRules] = useState<readonly Rule[]>(table.rules);
  const [error, setError] = useState<Error>();
  const columns = useMemo(() => toGridColumns(table), [table]);
  const roles = useOp("roles.list", { query: { limit: 200 } }).data?.data ?? [];
  const isChanged = JSON.stringify(rules) !== JSON.stringify(table.rules);
  const fault = rules.map(ruleFault).find((one) => one !== undefined);
  const put = (at: number, rule: Rule | undefined): void =>
    setRules(rule ? rules.with(at, rule) : rules.toSpliced(at, 1));
  const save = async (): Promise<void> => {
    setError(undefined);
    try {
      const input = { params: { slug }, body: { rules: [...rules] } };
      await call("tables.update", input, ifMatch === undefined ? {} : { ifMatch });
      await call("tables.get", { params: { slug } });
      setIfMatch(etagOf("tables.get", { params: { slug } }));
      notify("Access rules saved.");
    } catch (problem) {
      setError(problem instanceof Error ? problem : new Error(String(problem)));
    }
  };
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
        <Button
          look="main"
          type="button"
          disabled={refusal !== undefined || !isChanged || fault !== undefined}
          title={refusal ?? fault ?? (isChanged ? undefined : "There are no unsaved changes.")}
          onClick={() => void save()}
        >
          Save rules
        </Button>
      </header>
      <div className="rules-body">
        <section className="rules-list scroll" aria-label="Access rules">
          {error && <ErrorNotice error={error} />}
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
          <Button refusal={refusal} type="button" onClick={() => setRules([...rules, NEW_RULE])}>
            <Plus /> Add rule
          </Button>
        </section>
        <Tester
          table={table}
          columns={columns}
          roles={roles}
          rules={isChanged && fault === undefined ? rules : undefined}
        />
      </div>
    </>
  );
}
