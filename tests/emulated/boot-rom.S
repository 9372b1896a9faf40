# The whole firmware of the emulated machine: 64 KiB that end at 4 GiB, where
# the processor starts. It reads a table from the first sector of the first
# disk, loads the pieces that the table names, and enters the Linux kernel by
# its 64-bit boot protocol (Documentation/arch/x86/boot.rst). The kernel needs
# no more from a firmware when its boot parameters already hold the memory map.
#
# Table, little-endian 32-bit words: per piece the count of sectors, the first
# sector and the address; a count of zero ends the pieces. Then the kernel's
# entry and the address of its boot parameters.

        .set STACK,       0x7000
        .set TABLE,       0x7000
        .set PML4,        0x8000
        .set PDPT,        0x9000
        .set CODE32,      0x08
        .set CODE64,      0x10          # __BOOT_CS, as the protocol asks
        .set DATA,        0x18          # __BOOT_DS
        .set ATA,         0x1f0
        .set BURST,       128           # sectors a read command

        .text
        .code32
start32:
        mov     $DATA, %ax
        mov     %ax, %ds
        mov     %ax, %es
        mov     %ax, %ss
        mov     $STACK, %esp
        cld

        mov     $1, %ecx
        xor     %ebx, %ebx
        mov     $TABLE, %edi
        call    read_disk
        mov     $TABLE, %esi
next_piece:
        lodsl
        test    %eax, %eax
        jz      enter_long_mode
        mov     %eax, %ecx
        lodsl
        mov     %eax, %ebx
        lodsl
        mov     %eax, %edi
        call    read_disk
        jmp     next_piece

# Reads %ecx sectors from sector %ebx on to %edi. Spoils %eax, %edx, %ebp.
read_disk:
        mov     $BURST, %ebp
        cmp     %ecx, %ebp
        cmova   %ecx, %ebp
        sub     %ebp, %ecx
        push    %ecx
        mov     $ATA + 2, %dx           # sector count
        mov     %ebp, %eax
        out     %al, %dx
        inc     %dx                     # sector number, three registers
        mov     %ebx, %eax
        out     %al, %dx
        inc     %dx
        shr     $8, %eax
        out     %al, %dx
        inc     %dx
        shr     $8, %eax
        out     %al, %dx
        inc     %dx                     # LBA, first drive, top four bits
        shr     $8, %eax
        or      $0xe0, %al
        out     %al, %dx
        inc     %dx                     # command: read with retry
        mov     $0x20, %al
        out     %al, %dx
        add     %ebp, %ebx
read_sector:
        mov     $ATA + 7, %dx
        in      %dx, %al
        and     $0x88, %al              # busy, data request
        cmp     $0x08, %al
        jne     read_sector
        mov     $ATA, %dx
        mov     $256, %ecx
        rep insw
        dec     %ebp
        jnz     read_sector
        pop     %ecx
        test    %ecx, %ecx
        jnz     read_disk
        ret

# The first 4 GiB mapped to themselves in pages of 1 GiB.
enter_long_mode:
        mov     $PML4, %edi
        mov     $2 * 4096 / 4, %ecx
        xor     %eax, %eax
        rep stosl
        movl    $PDPT + 3, PML4
        mov     $0x83, %eax             # present, writable, a large page
        mov     $PDPT, %edi
        mov     $4, %ecx
map:    mov     %eax, (%edi)
        add     $0x40000000, %eax
        add     $8, %edi
        loop    map

        mov     %cr4, %eax
        or      $0x20, %eax             # PAE
        mov     %eax, %cr4
        mov     $PML4, %eax
        mov     %eax, %cr3
        mov     $0xc0000080, %ecx       # EFER
        rdmsr
        or      $0x100, %eax            # LME
        wrmsr
        mov     %cr0, %eax
        or      $0x80000000, %eax       # paging
        mov     %eax, %cr0
        ljmp    $CODE64, $start64

        .code64
start64:
        mov     (%esi), %eax
        mov     4(%esi), %esi
        jmp     *%rax

        .balign 8
gdt:    .quad   0
        .quad   0x00cf9a000000ffff      # CODE32
        .quad   0x00af9a000000ffff      # CODE64
        .quad   0x00cf92000000ffff      # DATA
gdt_register:
        .word   . - gdt - 1
        .long   gdt

        .code16
start16:
        cli
        data32 lgdt %cs:gdt_register - start32
        mov     %cr0, %eax
        or      $1, %al
        mov     %eax, %cr0
        data32 ljmp $CODE32, $start32

        .org    0xfff0
reset:  jmp     start16
        .org    0x10000
