/** The declaration of a setting. */
import type { LucideIcon } from "lucide-react";
import type { OperationId } from "../../data/api.ts";

export interface Setting {
  /** The page or section title. */
  readonly title: string;
  /** The purpose, in one line. */
  readonly about: string;
  /** Synonyms, as used in other products. */
  readonly also: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  /** The section of the page. The search lists sections, the menu lists pages. */
  readonly hash?: string;
  /** The screen is hidden if the person can't perform this operation. */
  readonly needs?: OperationId;
  /** Only operators of the installation see it. */
  readonly isForOperators?: true;
}

export interface SettingsSection {
  readonly id: string;
  readonly label: string;
  readonly icon: LucideIcon;
  readonly settings: readonly Setting[];
}
