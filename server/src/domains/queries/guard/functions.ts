/**
 * The functions that a statement may call. They only compute a result from their arguments: they cannot access
 * settings, files, catalogs, sequences, locks or other sessions, and cannot create a large value from a small one
 * (`repeat`, `lpad`, `array_fill`, `format`, whose widths are unlimited).
 */
export const FUNCTIONS: ReadonlySet<string> = new Set(
  [
    // Aggregates.
    "count sum avg min max bool_and bool_or every bit_and bit_or bit_xor any_value",
    "string_agg array_agg json_agg jsonb_agg json_object_agg jsonb_object_agg",
    "json_agg_strict jsonb_agg_strict json_object_agg_strict jsonb_object_agg_strict",
    "json_object_agg_unique jsonb_object_agg_unique range_agg range_intersect_agg",
    "stddev stddev_pop stddev_samp variance var_pop var_samp corr covar_pop covar_samp",
    "regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy",
    "mode percentile_cont percentile_disc",
    // Windows.
    "row_number rank dense_rank percent_rank cume_dist ntile lag lead",
    "first_value last_value nth_value",
    // Numbers.
    "abs cbrt ceil ceiling degrees div exp floor gcd lcm ln log log10 min_scale mod pi pow power",
    "radians random round scale sign sqrt trim_scale trunc width_bucket",
    "acos acosd asin asind atan atan2 atan2d atand cos cosd cot cotd sin sind tan tand",
    "acosh asinh atanh cosh sinh tanh erf erfc",
    // Texts.
    "ascii bit_length btrim char_length character_length chr concat concat_ws initcap left length",
    "lower ltrim md5 normalize is_normalized octet_length overlay position quote_literal",
    "quote_nullable replace reverse right rtrim split_part starts_with strpos substr substring",
    "to_hex to_bin to_oct translate unistr upper casefold similar_to_escape like_escape",
    "regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace",
    "regexp_split_to_array regexp_split_to_table regexp_substr string_to_array string_to_table",
    "array_to_string encode decode convert_from convert_to sha224 sha256 sha384 sha512",
    "crc32 crc32c",
    "to_char to_number",
    // Full text.
    "to_tsvector to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery ts_rank",
    "ts_rank_cd ts_headline setweight strip numnode querytree tsvector_to_array",
    "array_to_tsvector tsquery_phrase ts_delete ts_filter",
    // Times.
    "age clock_timestamp date date_add date_bin date_part date_subtract date_trunc extract isfinite",
    "justify_days justify_hours justify_interval make_date make_interval make_time make_timestamp",
    "make_timestamptz now overlaps statement_timestamp timezone to_date to_timestamp",
    "transaction_timestamp timestamptz",
    // JSON.
    "to_json to_jsonb array_to_json row_to_json json_build_array jsonb_build_array",
    "json_build_object jsonb_build_object json_object jsonb_object json_array_elements",
    "jsonb_array_elements json_array_elements_text jsonb_array_elements_text json_array_length",
    "jsonb_array_length json_each jsonb_each json_each_text jsonb_each_text json_extract_path",
    "jsonb_extract_path json_extract_path_text jsonb_extract_path_text json_object_keys",
    "jsonb_object_keys json_to_record jsonb_to_record json_to_recordset jsonb_to_recordset",
    "json_strip_nulls jsonb_strip_nulls json_typeof jsonb_typeof jsonb_insert jsonb_pretty",
    "jsonb_set jsonb_set_lax jsonb_delete jsonb_contains jsonb_exists",
    "jsonb_path_exists jsonb_path_match jsonb_path_query jsonb_path_query_array",
    "jsonb_path_query_first jsonb_path_exists_tz jsonb_path_match_tz jsonb_path_query_tz",
    "jsonb_path_query_array_tz jsonb_path_query_first_tz",
    // Arrays and rows.
    "array_append array_cat array_dims array_length array_lower array_ndims array_position",
    "array_positions array_prepend array_remove array_replace array_reverse array_sort array_upper",
    "cardinality trim_array unnest generate_series generate_subscripts num_nonnulls num_nulls",
    // Ranges.
    "int4range int8range numrange daterange tsrange tstzrange isempty lower_inc lower_inf upper_inc",
    "upper_inf range_merge multirange int4multirange int8multirange nummultirange datemultirange",
    "tsmultirange tstzmultirange",
    "gen_random_uuid",
  ].flatMap((line) => line.split(" ")),
);

/**
 * The functions that return one column named by the alias when used in `from`. Other functions name their columns
 * themselves.
 */
export const NAMED_BY_ALIAS: ReadonlySet<string> = new Set([
  "generate_series",
  "generate_subscripts",
  "unnest",
  "json_object_keys",
  "jsonb_object_keys",
  "jsonb_path_query",
  "jsonb_path_query_tz",
  "regexp_matches",
  "regexp_split_to_table",
  "string_to_table",
]);

/** The column names that functions define. */
export const COLUMNS_OF_FUNCTIONS: ReadonlySet<string> = new Set([
  "key",
  "value",
  "ordinality",
  "lexeme",
  "positions",
  "weights",
]);

/** The variants of `current_date`; those of `current_user` are excluded. */
export const TIMES: ReadonlySet<string> = new Set(
  ["CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP"].flatMap(
    (name) => [`SVFOP_${name}`, `SVFOP_${name}_N`],
  ),
);

/** The types that a value may be cast to. Types that look up names in catalogs are excluded. */
export const CAST_TYPES: ReadonlySet<string> = new Set(
  [
    "bool bytea text varchar bpchar uuid json jsonb jsonpath",
    "int2 int4 int8 numeric float4 float8",
    "date time timetz timestamp timestamptz interval",
    "int4range int8range numrange daterange tsrange tstzrange",
    "int4multirange int8multirange nummultirange datemultirange tsmultirange tstzmultirange",
    "tsvector tsquery inet cidr",
  ].flatMap((line) => line.split(" ")),
);
