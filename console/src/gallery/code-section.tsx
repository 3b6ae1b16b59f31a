import { useMemo, useState } from "react";
import {
  CaretContext,
  type CaretField,
  CodeEditor,
  ExpressionField,
  type ScopeSource,
} from "../code/index.ts";
import { JsonTree } from "../ui/json/json-tree.tsx";
import { Case, Sample } from "./sample.tsx";

const SCRIPT = `// Charges what is left.
export default async function charge(input: { total: number }) {
  const rest = Math.max(0, input.total - 5);
  return { rest, paid: rest === 0 };
}`;
const SQL = "select status, count(*) as n\nfrom orders\nwhere total > 100 -- euro\ngroup by status";
const JSON_TEXT = '{\n  "total": 42.5,\n  "tags": ["new", null, true]\n}';

const SOURCES: readonly ScopeSource[] = [
  {
    path: "order",
    title: "Each order: this order",
    value: {
      number: 4701,
      total: 37,
      customer: { name: "Nordwind AB", city: "Malmö" },
      lines: Array.from({ length: 400 }, (_, n) => ({ sku: `sku-${n}`, price: n / 10 })),
    },
  },
  {
    path: "steps.read.output",
    title: "Read today's orders",
    value: { day: "2026-11-16", count: 120 },
  },
  { path: "trigger", title: "Trigger", value: { type: "manual", input: { name: "Ada" } } },
];

export function CodeSection() {
  return (
    <>
      <Expressions />
      <Sample
        title="Code editor"
        about="Tab moves to the next field. In editors where Tab indents, press Escape and then Tab. Shortcuts of the page still work."
        isWide
      >
        <div className="gallery-grid">
          <Case label="TypeScript with a marker">
            <Editable
              value={SCRIPT}
              language="typescript"
              label="TypeScript"
              marks={[
                { from: 66, to: 71, message: "The currency is missing.", severity: "warning" },
              ]}
            />
          </Case>
          <Case label="SQL">
            <Editable value={SQL} language="sql" label="SQL" />
          </Case>
          <Case label="JSON, read-only">
            <CodeEditor value={JSON_TEXT} language="json" label="JSON" isBlock isReadOnly />
          </Case>
          <Case label="Empty, with a hint; invalid">
            <CodeEditor
              value=""
              language="json"
              label="Empty JSON"
              hint='{ "a": 1 }'
              isInvalid
              description="is needed"
            />
          </Case>
        </div>
      </Sample>
    </>
  );
}

function Editable(props: {
  readonly value: string;
  readonly label: string;
  readonly language: "typescript" | "sql";
  readonly marks?: Parameters<typeof CodeEditor>[0]["marks"];
}) {
  const [value, setValue] = useState(props.value);
  return (
    <CodeEditor
      value={value}
      onChange={setValue}
      language={props.language}
      label={props.label}
      isBlock
      tab="indents"
      {...(props.marks && { marks: props.marks })}
    />
  );
}

function Expressions() {
  const [caret, setCaret] = useState<CaretField>();
  const state = useMemo(() => ({ field: caret, onFocus: setCaret }), [caret]);
  return (
    <CaretContext value={state}>
      <Sample
        title="Expression field"
        about="Completes with real values and shows the result while you type."
      >
        <ExpressionCase label="Expression" mode="expression" text="order.total * 1.19" />
        <ExpressionCase
          label="Text with expressions"
          mode="template"
          text="Order {{ order.number }} for {{ order.customer.name }}"
        />
        <ExpressionCase
          label="JSON with expressions"
          mode="json-template"
          text={'{ "n": "{{ order.number }}" }'}
        />
        <ExpressionCase label="Invalid" mode="expression" text="order.total * (1 +" />
        <ExpressionCase label="Unclosed braces" mode="template" text="Hello {{ order" />
      </Sample>
      <Sample
        title="JSON tree"
        about="Arrow keys move, Enter inserts, c and p copy the value and the path. Only visible rows are rendered."
      >
        <JsonTree value={SOURCES[0]?.value} path="order" label="This order" onUse={caret?.insert} />
        <Case label="Plain, empty">
          <JsonTree value="just a text" path="x" label="Plain" />
          <JsonTree value={{}} path="x" label="Empty" />
        </Case>
      </Sample>
    </CaretContext>
  );
}

function ExpressionCase(props: {
  readonly label: string;
  readonly mode: "expression" | "template" | "json-template";
  readonly text: string;
}) {
  const [value, setValue] = useState(props.text);
  return (
    <Case label={props.label}>
      <ExpressionField
        value={value}
        onChange={setValue}
        label={props.label}
        mode={props.mode}
        sources={SOURCES}
      />
    </Case>
  );
}
