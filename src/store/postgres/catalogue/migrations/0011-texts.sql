-- The texts of a field as their terms, separated by spaces, from the positions of its lexemes. Values
-- of a field have a free position between them. A lexeme without a position is a text of its own.
CREATE FUNCTION oqs_texts(lexemes tsvector, prefix text) RETURNS SETOF text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ' ' || string_agg(placed.lexeme, ' ' ORDER BY placed.position) || ' '
  FROM (
    SELECT listed.lexeme, one.position,
      one.position - row_number() OVER (ORDER BY one.position) AS text_number
    FROM unnest(lexemes) AS listed, unnest(listed.positions) AS one (position)
    WHERE starts_with(listed.lexeme, prefix)
  ) AS placed
  GROUP BY placed.text_number
  UNION ALL
  SELECT ' ' || listed.lexeme || ' '
  FROM unnest(lexemes) AS listed
  WHERE listed.positions IS NULL AND starts_with(listed.lexeme, prefix)
$$;
