/** The languages of the editor, each loaded when it is first used. */
import { StreamLanguage } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { type ExpressionMode, jsonataParser } from "./jsonata-mode.ts";

export type CodeLanguage = ExpressionMode | "typescript" | "sql" | "json" | "text";

export async function loadLanguage(language: CodeLanguage): Promise<Extension> {
  switch (language) {
    case "typescript": {
      const { javascript } = await import("@codemirror/lang-javascript");
      return javascript({ typescript: true });
    }
    case "sql": {
      const { PostgreSQL, sql } = await import("@codemirror/lang-sql");
      return sql({ dialect: PostgreSQL, upperCaseKeywords: false });
    }
    case "json": {
      const { json } = await import("@codemirror/lang-json");
      return json();
    }
    case "expression":
    case "template":
    case "json-template":
      return StreamLanguage.define(jsonataParser(language));
    case "text":
      return [];
  }
}
