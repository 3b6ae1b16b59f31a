import {
  Braces,
  BrainCircuit,
  Calendar,
  CalendarClock,
  CircleDot,
  Clock,
  FileText,
  Hash,
  Image,
  Link2,
  ListOrdered,
  type LucideIcon,
  Mail,
  Search,
  Sigma,
  SquareCheck,
  SquareFunction,
  Tags,
  Type,
  UserRound,
  Waypoints,
  Move3d,
} from "lucide-react";

const ICONS: Readonly<Record<string, LucideIcon>> = {
  text: Type,
  integer: Hash,
  decimal: Hash,
  autonumber: ListOrdered,
  boolean: SquareCheck,
  date: Calendar,
  timestamp: CalendarClock,
  duration: Clock,
  enum: CircleDot,
  multi_enum: Tags,
  reference: Link2,
  links: Waypoints,
  backlinks: Waypoints,
  lookup: Search,
  rollup: Sigma,
  formula: SquareFunction,
  file: FileText,
  files: FileText,
  image: Image,
  user: UserRound,
  email: Mail,
  url: Link2,
  json: Braces,
  embedding: BrainCircuit,
  vector: Move3d,
};

const WORDS: Readonly<Record<string, string>> = {
  text: "Text",
  integer: "Integer",
  decimal: "Decimal",
  boolean: "Yes/No",
  date: "Date",
  timestamp: "Date and time",
  json: "JSON",
  enum: "Single select",
  multi_enum: "Multiple select",
  reference: "Reference",
  autonumber: "Autonumber",
  links: "Links",
  backlinks: "Backlinks",
  user: "Person",
  duration: "Duration",
  email: "E-mail",
  url: "URL",
  formula: "Formula",
  lookup: "Lookup",
  rollup: "Rollup",
  file: "Files",
  image: "Images",
  embedding: "Embedding",
  vector: "Vector",
};

/** Returns the display name of a column type. */
export function typeWord(type: string): string {
  const words = type.replaceAll("_", " ");
  return WORDS[type] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

export function TypeIcon({ type }: { readonly type: string }) {
  const Icon = ICONS[type] ?? Type;
  return <Icon className="ico" aria-label={typeWord(type)} />;
}
