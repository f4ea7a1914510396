import { type DragEvent, useRef, useState } from 'react'
import { Button, Icon } from '../ui/button.tsx'
import { DialogParts } from '../ui/dialog.tsx'
import { Mistake } from '../ui/error-note.tsx'

const ENDINGS = '.csv,.tsv,.tab,.txt,.json,.geojson,.ndjson,.jsonl,.parquet,.gz'

export interface ChooseFileProps {
  readonly mistake: string | undefined
  readonly onChosen: (files: readonly File[]) => void
  readonly onCancel: () => void
}

export function ChooseFile({ mistake, onChosen, onCancel }: ChooseFileProps) {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    onChosen([...event.dataTransfer.files])
  }
  return (
    <DialogParts foot={<Button onClick={onCancel}>Cancel</Button>}>
      <Mistake>{mistake}</Mistake>
      <section
        className="grid justify-items-center gap-3 py-10 px-6 border-2 border-dashed border-edge rounded-lg text-muted text-center transition-[background] duration-(--motion) data-[over=true]:border-accent data-[over=true]:bg-accent-bg"
        data-over={isOver}
        aria-label="Drop a file"
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
      >
        <Icon name="upload" size={28} />
        <p className="text-ink">Drop a file here, or choose one.</p>
        <Button kind="primary" onClick={() => input.current?.click()}>
          Choose a file
        </Button>
        <input
          ref={input}
          type="file"
          accept={ENDINGS}
          aria-label="File"
          hidden
          onChange={({ target }) => onChosen([...(target.files ?? [])])}
        />
        <p className="label max-w-[46ch]">
          CSV, TSV, NDJSON, a JSON array, GeoJSON or Parquet, optionally compressed with gzip. The
          first line of CSV names the columns. Nothing is written before you have seen the file.
        </p>
      </section>
    </DialogParts>
  )
}
