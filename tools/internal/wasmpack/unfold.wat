;; Fills in what fold (fold.go, which says how it is packed) took out of the tables of functions. Words in capitals are
;; numbers of the module.
(func $unfold
  (local $in i32)      ;; where the packed numbers are read
  (local $left i32)    ;; functions that are left
  (local $index i32)   ;; a function's entry in the index
  (local $record i32)  ;; its record
  (local $count i32)   ;; of a column: where a record says how many tables, or references to data, it has
  (local $word i32)    ;; of a column: its place in the record, in words
  (local $mode i32)    ;; of a column: how it is packed
  (local $next i32)    ;; of a column: the number that is expected
  (local $value i32)
  (local $shift i32)
  (local $byte i32)

  ;; The index, and of each record the numbers that say how long it is.
  i32.const BUCKETS
  local.set $in
  i32.const INDEX
  local.set $index
  i32.const RECORDS
  local.set $record
  i32.const FUNCTIONS
  local.set $left
  loop $function
    local.get $index
    i32.const LAST
    local.get $left
    i32.sub
    local.tee $value
    i32.store
    local.get $index
    local.get $record
    i32.const INDEX
    i32.sub
    i32.store offset=4
    local.get $record
    local.get $value
    i32.store
    local.get $record
    local.get $in
    i32.load8_u
    i32.store offset=28
    local.get $record
    local.get $in
    i32.load offset=1
    i32.store offset=40
    ;; A record has 44 bytes and 4 for each table and each reference to data, and starts at a multiple of 8.
    local.get $in
    i32.load8_u
    local.get $in
    i32.load8_u offset=4
    i32.add
    i32.const 2
    i32.shl
    local.get $record
    i32.add
    i32.const 51
    i32.add
    i32.const -8
    i32.and
    local.set $record
    local.get $in
    i32.const 5
    i32.add
    local.set $in
    local.get $index
    i32.const 8
    i32.add
    local.set $index
    local.get $left
    i32.const 1
    i32.sub
    local.tee $left
    br_if $function
  end

  loop $column
    local.get $in
    i32.load8_u
    local.set $mode
    local.get $in
    i32.load8_u offset=1
    local.set $count
    local.get $in
    i32.load8_u offset=2
    local.set $word
    local.get $in
    i32.load offset=3
    local.set $next
    local.get $in
    i32.const 7
    i32.add
    local.set $in
    i32.const INDEX
    local.set $index
    i32.const FUNCTIONS
    local.set $left
    loop $row
      block $absent
        ;; Tables and references to data are counted from word 11, so the words before are always there.
        local.get $word
        i32.const 11
        i32.sub
        local.get $index
        i32.load offset=4
        i32.const INDEX
        i32.add
        local.tee $record
        local.get $count
        i32.add
        i32.load8_u
        i32.ge_s
        br_if $absent

        ;; value = an unsigned LEB128
        local.get $in
        i32.load8_u
        local.set $value
        local.get $in
        i32.const 1
        i32.add
        local.set $in
        local.get $value
        i32.const 127
        i32.gt_u
        if
          local.get $value
          i32.const 127
          i32.and
          local.set $value
          i32.const 7
          local.set $shift
          loop $more
            local.get $in
            i32.load8_u
            local.tee $byte
            i32.const 127
            i32.and
            local.get $shift
            i32.shl
            local.get $value
            i32.or
            local.set $value
            local.get $in
            i32.const 1
            i32.add
            local.set $in
            local.get $shift
            i32.const 7
            i32.add
            local.set $shift
            local.get $byte
            i32.const 127
            i32.gt_u
            br_if $more
          end
        end

        block $known
          ;; 0 stands for none: -1 in the even modes, and in the odd ones 0, which is there
          local.get $value
          i32.eqz
          if
            local.get $mode
            i32.const 1
            i32.and
            br_if $absent
            i32.const -1
            local.set $value
            br $known
          end
          ;; mode 0: the difference to the last one, its sign in the lowest bit
          local.get $mode
          i32.eqz
          if
            local.get $value
            i32.const 1
            i32.sub
            local.tee $value
            i32.const 1
            i32.shr_u
            i32.const 0
            local.get $value
            i32.const 1
            i32.and
            i32.sub
            i32.xor
            local.get $next
            i32.add
            local.tee $next
            local.set $value
            br $known
          end
          ;; 2 and more: a place
          local.get $value
          i32.const 1
          i32.ne
          if
            local.get $value
            i32.const 2
            i32.sub
            local.set $value
            br $known
          end
          ;; 1: the expected place. The next is behind what is there.
          local.get $next
          local.set $value
          block $name
            block $map
              block $table
                local.get $mode
                br_table $known $table $map $name
              end
              ;; mode 1, a table by PC: pairs of LEB128 up to a zero
              loop $pair
                loop $first
                  local.get $next
                  i32.load8_u offset=TABLES
                  local.get $next
                  i32.const 1
                  i32.add
                  local.set $next
                  i32.const 127
                  i32.gt_u
                  br_if $first
                end
                loop $second
                  local.get $next
                  i32.load8_u offset=TABLES
                  local.get $next
                  i32.const 1
                  i32.add
                  local.set $next
                  i32.const 127
                  i32.gt_u
                  br_if $second
                end
                local.get $next
                i32.load8_u offset=TABLES
                br_if $pair
              end
              local.get $next
              i32.const 1
              i32.add
              local.set $next
              br $known
            end
            ;; mode 2, a stack map: its two numbers say how many bitmaps follow and how many bits each has
            local.get $next
            local.get $next
            i32.load offset=BITS
            i32.const 7
            i32.add
            i32.const 3
            i32.shr_u
            local.get $next
            i32.load offset=MAPS
            i32.mul
            i32.add
            i32.const 11
            i32.add
            i32.const -4
            i32.and
            local.set $next
            br $known
          end
          ;; mode 3, a name: up to a zero
          loop $letter
            local.get $next
            i32.load8_u offset=NAMES
            local.get $next
            i32.const 1
            i32.add
            local.set $next
            br_if $letter
          end
        end
        ;; The references to data come after the tables.
        local.get $count
        i32.const 28
        i32.ne
        if
          local.get $record
          i32.load offset=28
          i32.const 2
          i32.shl
          local.get $record
          i32.add
          local.set $record
        end
        local.get $record
        local.get $word
        i32.const 2
        i32.shl
        i32.add
        local.get $value
        i32.store
      end
      local.get $index
      i32.const 8
      i32.add
      local.set $index
      local.get $left
      i32.const 1
      i32.sub
      local.tee $left
      br_if $row
    end
    ;; The last column is followed by 255.
    local.get $in
    i32.load8_u
    i32.const 255
    i32.ne
    br_if $column
  end

  ;; The index from addresses: 16 buckets of 20 bytes for each function, which hold its number and zeros. The packed
  ;; numbers were in its place.
  i32.const BUCKETS
  i32.const 0
  local.get $in
  i32.const BUCKETS
  i32.sub
  i32.const 1
  i32.add
  memory.fill
  i32.const BUCKETS
  local.set $record
  loop $bucket
    local.get $record
    local.get $left
    i32.store
    local.get $record
    local.get $left
    i32.store offset=20
    local.get $record
    local.get $left
    i32.store offset=40
    local.get $record
    local.get $left
    i32.store offset=60
    local.get $record
    local.get $left
    i32.store offset=80
    local.get $record
    local.get $left
    i32.store offset=100
    local.get $record
    local.get $left
    i32.store offset=120
    local.get $record
    local.get $left
    i32.store offset=140
    local.get $record
    local.get $left
    i32.store offset=160
    local.get $record
    local.get $left
    i32.store offset=180
    local.get $record
    local.get $left
    i32.store offset=200
    local.get $record
    local.get $left
    i32.store offset=220
    local.get $record
    local.get $left
    i32.store offset=240
    local.get $record
    local.get $left
    i32.store offset=260
    local.get $record
    local.get $left
    i32.store offset=280
    local.get $record
    local.get $left
    i32.store offset=300
    local.get $record
    i32.const 320
    i32.add
    local.set $record
    local.get $left
    i32.const 1
    i32.add
    local.tee $left
    i32.const INDEXED
    i32.lt_u
    br_if $bucket
  end
)
