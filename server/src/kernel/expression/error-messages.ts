import { ExpressionError } from "./expression-failure.ts";

/** The position of an error in the text, and the operator or function at it. */
export interface ErrorPosition {
  readonly position?: number | undefined;
  readonly token?: string | undefined;
}

/**
 * The failure for a JSONata error code. JSONata's messages quote values, which can be secret, so each code has
 * a safe message here, and unknown codes a general one.
 */
export function evaluationFailure(code: string, at: ErrorPosition): ExpressionError {
  const template = MESSAGES.get(code) ?? "The expression can't be evaluated with these values.";
  const message = template.replaceAll("{}", at.token ?? "found there");
  return new ExpressionError("evaluation", message, at);
}

const INVALID_PICTURE = "The picture string is not valid.";

const MESSAGES: ReadonlyMap<string, string> = new Map([
  ["T0410", "{} has an argument of the wrong type, or the wrong number of arguments."],
  ["T0411", "The context value has the wrong type for {}."],
  ["T0412", "The argument of {} must be an array whose items all have the right type."],
  ["D1001", "A number is out of range."],
  ["D1002", "Only a number can be negated."],
  ["T1003", "A key of an object must be a string."],
  ["D1004", "The regular expression matches an empty string."],
  ["T1005", "{} is not a function. A $ may be missing before its name."],
  ["T1006", "{} is not a function."],
  ["T1007", "{} is not a function. A $ may be missing before its name."],
  ["T1008", "{} is not a function."],
  ["D1009", "An object has the same key twice."],
  ["T1010", "The matcher passed to {} does not return a valid match."],
  ["D1011", "The expression has too many nested function calls."],
  ["D1013", "Keys that begin with _jsonata_ are reserved."],
  ["T2001", "The left side of {} must be a number."],
  ["T2002", "The right side of {} must be a number."],
  ["T2003", "The left side of .. must be an integer."],
  ["T2004", "The right side of .. must be an integer."],
  ["T2006", "The right side of ~> must be a function."],
  ["T2007", "Values of different types can't be sorted."],
  ["T2008", "Only numbers and strings can be sorted."],
  ["T2009", "Both sides of {} must be of the same type."],
  ["T2010", "Both sides of {} must be numbers or strings."],
  ["T2011", "The update of a transformation must be an object."],
  ["T2012", "The deletions of a transformation must be strings."],
  ["T2013", "A transformation needs $clone, which is not a function here."],
  ["D2014", "The range is too long."],
  ["D2015", "A sequence is too long."],
  ["D3001", "A number that is out of range can't be converted to a string."],
  ["D3010", "The second argument of $replace must not be empty."],
  ["D3011", "The fourth argument of $replace must not be negative."],
  ["D3012", "$replace needs a text to put in the place of each match."],
  ["D3020", "The third argument of $split must not be negative."],
  ["D3030", "The value can't be converted to a number."],
  ["D3040", "The third argument of $match must not be negative."],
  ["D3050", "The second argument of $reduce must be a function of at least two arguments."],
  ["D3060", "$sqrt takes no negative number."],
  ["D3061", "The result of $power is out of range."],
  ["D3070", "$sort without a function takes only an array of numbers or one of texts."],
  ...Array.from({ length: 14 }, (_, index) => [`D${3080 + index}`, INVALID_PICTURE] as const),
  ["D3100", "The base must be between 2 and 36."],
  ["D3110", "The string is not an ISO 8601 time."],
  ...Array.from({ length: 7 }, (_, index) => [`D${3130 + index}`, INVALID_PICTURE] as const),
  ["D3137", "The expression called $error."],
  ["D3138", "$single found more than one match."],
  ["D3139", "$single found no match."],
  ["D3140", "The string can't be encoded or decoded as a URL."],
  ["D3141", "The condition of $assert is false."],
]);
