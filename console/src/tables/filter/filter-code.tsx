import { Link } from "@tanstack/react-router";
import { Terminal } from "lucide-react";
import { useState } from "react";
import { toCurl } from "../../data/curl.ts";
import { useMay } from "../../data/people.ts";
import { copyText } from "../../ui/behaviour/copy.ts";
import { Tabs } from "../../ui/tabs.tsx";
import type { GridColumn } from "../column/column.ts";
import { toSql } from "./filter-sql.ts";
import { type FilterGroup, toCondition } from "./filter-tree.ts";
import { Button } from "../../ui/form/button.tsx";

type Language = "curl" | "typescript" | "sql";

interface FilterCodeProps {
  readonly slug: string;
  readonly query: Readonly<Record<string, string | number>>;
  readonly columns: readonly GridColumn[];
  readonly tree: FilterGroup;
}

/** A filter as code: HTTP request, TypeScript or SQL. */
export function FilterCode({ slug, query, columns, tree }: FilterCodeProps) {
  const may = useMay();
  const [language, setLanguage] = useState<Language>("curl");
  const condition = toCondition(tree);
  const isFiltered = Object.keys(condition).length > 0;
  const full = { ...query, ...(isFiltered && { filter: JSON.stringify(condition) }) };
  const sort = String(query["sort"] ?? "");
  const texts: Readonly<Record<Language, string>> = {
    curl: toCurl(`/api/v1/tables/${slug}/records`, full),
    typescript: toScript(slug, query, isFiltered ? condition : undefined),
    sql: toSql({ slug, tree, sort: sort === "id" ? "" : sort, columns }),
  };
  return (
    <details className="filter-code">
      <summary>
        <Terminal className="ico" /> Show code
      </summary>
      <Tabs
        label="Language"
        chosen={language}
        onChoose={setLanguage}
        tabs={[
          { id: "curl", label: "curl" },
          { id: "typescript", label: "TypeScript" },
          { id: "sql", label: "SQL" },
        ]}
      >
        <pre tabIndex={0} role="group" aria-label={`Request in ${language}`}>
          {texts[language]}
        </pre>
        <Button type="button" onClick={() => void copyText(texts[language], "Code")}>
          Copy
        </Button>
        {language === "sql" && may("queries.run") && (
          <Link to="/sql" search={{ sql: texts.sql }} className="btn bare">
            Open in SQL
          </Link>
        )}
      </Tabs>
    </details>
  );
}

function toScript(slug: string, query: object, condition: object | undefined): string {
  const rest = Object.entries(query).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const filter = condition ? [`filter: JSON.stringify(${JSON.stringify(condition)})`] : [];
  const fields = [...filter, ...rest].map((line) => `    ${line},\n`).join("");
  return `const { data } = await client.call("records.list", {\n  params: { slug: ${JSON.stringify(slug)} },\n  query: {\n${fields}  },\n});`;
}
